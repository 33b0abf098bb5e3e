// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory of the instruction cache's tags and lines, built of flip-flops: replaces PsPIN's module of the same name, which uses latches.
// simulator.sh copies it over PsPIN's file when it builds the simulator for `make rtl-check`. Both return a new word from the edge at which
// it is written. Reason: Verilator 5.006 opens the latches before flip-flops sample at the same edge. An HPU (core) that looked up a line
// in the cycle of its arrival then got a false hit, with the line that was written to that bank before.
module register_file_1w_multi_port_read #(
    parameter ADDR_WIDTH = 5,
    parameter DATA_WIDTH = 32,
    parameter N_READ     = 2,
    parameter N_WRITE    = 1
) (
    input  logic                              clk,
    input  logic                              rst_n,
    input  logic                              test_en_i,
    input  logic [N_READ-1:0]                 ReadEnable,
    input  logic [N_READ-1:0][ADDR_WIDTH-1:0] ReadAddr,
    output logic [N_READ-1:0][DATA_WIDTH-1:0] ReadData,
    input  logic                              WriteEnable,
    input  logic [ADDR_WIDTH-1:0]             WriteAddr,
    input  logic [DATA_WIDTH-1:0]             WriteData
);
    logic [DATA_WIDTH-1:0]             words[2**ADDR_WIDTH];
    logic [N_READ-1:0][ADDR_WIDTH-1:0] read_at;

    always_ff @(posedge clk) begin
        if (WriteEnable)
            words[WriteAddr] <= WriteData;
        for (int i = 0; i < N_READ; i++) begin
            if (!rst_n)
                read_at[i] <= '0;
            else if (ReadEnable[i])
                read_at[i] <= ReadAddr[i];
        end
    end

    for (genvar i = 0; i < N_READ; i++) begin : gen_read
        assign ReadData[i] = words[read_at[i]];
    end
endmodule
