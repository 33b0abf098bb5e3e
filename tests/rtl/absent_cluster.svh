    // SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
    // Stub for clusters 1 to 3: they report that they have booted, never accept a task, and issue no request. simulator.sh inserts it into
    // gen_clusters of a copy of PsPIN's pspin.sv, for `make rtl-check` with CLUSTERS=1, which simulates about four times as fast.
    end else if (i > 0) begin : gen_cluster_absent
      assign cluster_active_d[i] = 1'b1;
      assign cl_eoc_o[i] = 1'b0;
      assign cl_busy_o[i] = 1'b0;
      assign sched_loc_ready[i] = 1'b0;
      assign loc_sched_valid[i] = 1'b0;
      assign loc_sched_feedback[i] = '0;
      assign cluster_cmd_valid[i] = 1'b0;
      assign cluster_cmd[i] = '0;
      assign cl_oup[i].aw_valid = 1'b0;
      assign cl_oup[i].w_valid = 1'b0;
      assign cl_oup[i].ar_valid = 1'b0;
      assign cl_oup[i].b_ready = 1'b1;
      assign cl_oup[i].r_ready = 1'b1;
      assign cl_dma[i].aw_valid = 1'b0;
      assign cl_dma[i].w_valid = 1'b0;
      assign cl_dma[i].ar_valid = 1'b0;
      assign cl_dma[i].b_ready = 1'b1;
      assign cl_dma[i].r_ready = 1'b1;
      assign cl_icache[i].aw_valid = 1'b0;
      assign cl_icache[i].w_valid = 1'b0;
      assign cl_icache[i].ar_valid = 1'b0;
      assign cl_icache[i].b_ready = 1'b1;
      assign cl_icache[i].r_ready = 1'b1;
      assign cl_inp[i].aw_ready = 1'b0;
      assign cl_inp[i].w_ready = 1'b0;
      assign cl_inp[i].ar_ready = 1'b0;
      assign cl_inp[i].b_valid = 1'b0;
      assign cl_inp[i].r_valid = 1'b0;
      assign cl_nhi[i].aw_ready = 1'b0;
      assign cl_nhi[i].w_ready = 1'b0;
      assign cl_nhi[i].ar_ready = 1'b0;
      assign cl_nhi[i].b_valid = 1'b0;
      assign cl_nhi[i].r_valid = 1'b0;
