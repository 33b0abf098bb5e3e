#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spin-papers(7) compares sPIN here with the papers. It must have a row for each element of sPIN B.1 to B.6 (matching entries, memory, the
# three handlers, actions) and of PsPIN 3.1 to 3.4 (architecture, scheduling, data path, the NIC around it): what is the same, what differs,
# and an existing vector (test as text) or test. The word in the third column of the list below must occur in the vector, its handler, or
# the test. Run by tests/run.
. "$(dirname "$0")/docs.inc"
cd "$WORK" || exit 1

# section | element | word
cat >elements <<'END'
sPIN B.1|start|start
sPIN B.1|length|length
sPIN B.1|match_bits|match
sPIN B.1|ignore_bits|ignore
sPIN B.1|match_id|post from 10.0.0.1
sPIN B.1|uid|10.0.0.9
sPIN B.1|min_free|local
sPIN B.1|ct_handle|after ct
sPIN B.1|options|once
sPIN B.1|header_handler|.header
sPIN B.1|payload_handler|msg_default
sPIN B.1|completion_handler|.completion
sPIN B.1|ptl_handler_data|SPIN_DELIVER_ME
sPIN B.1|hpu_memory|spin_fadd32
sPIN B.1|lists of entries|no_me
sPIN B.1|unexpected messages|on_overflow
sPIN B.1|PtlMESearch|spin_ctx__me_search
sPIN B.2|PtlHPUAllocMem|spin_hpu_mem__alloc
sPIN B.2|PtlHPUFreeMem|spin_hpu_mem__free
sPIN B.2|hpu_initial_state|initial_state
sPIN B.2|handler_host_mem_start|handler_mem
sPIN B.2|handler_host_mem_length|handler_mem
sPIN B.2|HANDLER_IOVEC|handler_mem 64+16 128+32
sPIN B.2|PENDING|after me 0 open
sPIN B.2.1|max_user_hdr_size|max_user_hdr_size
sPIN B.2.1|max_payload_size|max_payload_size
sPIN B.2.1|max_handler_mem|max_handler_mem
sPIN B.2.1|max_initial_state|max_initial_state
sPIN B.2.1|min_fragmentation_limit|.fragmentation_bytes
sPIN B.2.1|max_cycles_per_byte|max_cycles_per_byte
sPIN B.3|once per message|parked
sPIN B.3|type|h->type
sPIN B.3|length|h->length
sPIN B.3|target_id|spin_target
sPIN B.3|source_id|spin_source
sPIN B.3|match_bits|h->match_bits
sPIN B.3|offset|h->offset
sPIN B.3|hdr_data|h->hdr_data
sPIN B.3|user_hdr|.user_header_bytes
sPIN B.3|state|set spin_state
sPIN B.3|DROP|header_dropped
sPIN B.3|DROP_PENDING|after me 0 open
sPIN B.3|PROCESS_DATA|success
sPIN B.3|PROCESS_DATA_PENDING|after me 0 open
sPIN B.3|PROCEED|proceeded
sPIN B.3|PROCEED_PENDING|after me 0 open
sPIN B.3|SEGV|event segv header
sPIN B.3|FAIL|event fail header
sPIN B.3|first error|event fail payload
sPIN B.4|packets with payload|p->length
sPIN B.4|state|set spin_state
sPIN B.4|length|p->length
sPIN B.4|offset|p->offset
sPIN B.4|base|SPIN_FOR_EACH
sPIN B.4|DROP|expect tx dropped
sPIN B.4|SUCCESS|expect tx success
sPIN B.4|FAIL|event fail payload
sPIN B.4|SEGV|event segv payload
sPIN B.5|once per message|event message
sPIN B.5|dropped_bytes|dropped_bytes
sPIN B.5|flow_control_triggered|flow_control
sPIN B.5|state|set spin_state
sPIN B.5|SUCCESS|event message
sPIN B.5|SUCCESS_PENDING|after me 0 open
sPIN B.5|FAIL|event fail completion
sPIN B.5|SEGV|event segv completion
sPIN B.6|PtlHandlerDMAToHostB|spin_dma_to_host
sPIN B.6|PtlHandlerDMAFromHostB|spin_dma_from_host
sPIN B.6|PtlHandlerDMAToHostNB|spin_dma_to_host_nb
sPIN B.6|PtlHandlerDMAFromHostNB|spin_dma_from_host_nb
sPIN B.6|PTL_ME_HOST_MEM|ME_MEM
sPIN B.6|PTL_HANDLER_HOST_MEM|HANDLER_MEM
sPIN B.6|local|SPIN_SCRATCH
sPIN B.6|len|spin_payload_to_host
sPIN B.6|PtlHandlerDMACAS|spin_dma_cas64
sPIN B.6|PtlHandlerDMACASNB|spin_dma_cas64_nb
sPIN B.6|PtlHandlerDMAFetchAdd|spin_dma_fadd32
sPIN B.6|PtlHandlerDMAFetchAddNB|spin_dma_fadd64_nb
sPIN B.6|PtlHandlerDMATest|spin_dma_test
sPIN B.6|PtlHandlerDMAWait|spin_dma_wait
sPIN B.6|threads|RV32_CYC_COMMAND
sPIN B.6|PtlHandlerCAS|spin_cas32
sPIN B.6|PtlHandlerFAdd|spin_fadd32
sPIN B.6|PtlHandlerYield|spin_yield
sPIN B.6|PtlHandlerPutFromHost|spin_put_from_host
sPIN B.6|PtlHandlerPutFromDevice|spin_put_from_device
sPIN B.6|ct|SPIN_PUT_CT
sPIN B.6|ack_req|SPIN_PUT_ACK_REQ
sPIN B.6|target_id|send put to
sPIN B.6|match_bits|match_bits
sPIN B.6|remote_offset|remote_offset
sPIN B.6|hdr_data|hdr_data
sPIN B.6|user_ptr|user_ptr
sPIN B.6|pt_index|udp 9330 > 4000
sPIN B.6|eq_hdl|udp 9330 > 4000
sPIN B.6|PtlHandlerGet*|spin_get
sPIN B.6|PtlHandlerAtomic*|spin_atomic
sPIN B.6|PtlHandlerFetchAtomic*|spin_fetch_atomic
sPIN B.6|PtlHandlerCTInc|spin_ct_inc
sPIN B.6|PtlHandlerCTGet|spin_ct_get
sPIN B.6|PtlHandlerCTSet|spin_ct_set
sPIN B.6|PTL_NUM_HPUS|spin_num_hpus
sPIN B.6|PTL_MY_HPU|spin_my_hpu
sPIN 5.4|work item|spin_work
PsPIN 3.1|clusters|cluster < 4
PsPIN 3.1|execution context|max_contexts
PsPIN 3.1|offloading|spincc
PsPIN 3.1|inbound engine|unmatched
PsPIN 3.1|L2 packet buffer|packet-buffer allocator
PsPIN 3.1|full packet buffer|held_back
PsPIN 3.1|HER|struct soc_her
PsPIN 3.1|outbound engine|spin_put_payload
PsPIN 3.1|host DMA|both_in_l1
PsPIN 3.2.1|MPQ engine|stages_of_a_message
PsPIN 3.2.1|end-of-message flag|EOM
PsPIN 3.2.1|linked lists of HERs|expect tx parked
PsPIN 3.2.1|four cells for each MPQ|has a cell of its own
PsPIN 3.2.1|ready queues, round robin|one packet of each in turn
PsPIN 3.2.1|task dispatcher|beyond_the_home
PsPIN 3.2.1|NIC commands|spin_forward
PsPIN 3.2.1|DMA commands|spin_payload_to_host
PsPIN 3.2.1|HostDirect commands|spin_host_write
PsPIN 3.2.1|command responses|event segv payload
PsPIN 3.2.1|completion notification|feedback_waits_for_commands
PsPIN 3.2.2|bytes in L1|.bytes_in_l1
PsPIN 3.2.2|cluster-local scheduler|Packet copies
PsPIN 3.2.2|HPU driver|previous task
PsPIN 3.2.2|runtime loop|wrapper
PsPIN 3.2.2|round robin arbiters|take turns
PsPIN 3.2.2|cluster DMA by HPUs|spin_copy
PsPIN 3.2.2|L2 handler memory|lost
PsPIN 3.2.2|scratchpad|SPIN_SCRATCHPAD
PsPIN 3.2.2|layout of L1|state_in_l1
PsPIN 3.2.2|L1 of every cluster|SPIN_PER_CLUSTER
PsPIN 3.2.2|512 messages in flight|no_mpq
PsPIN 3.2.2|memory protection|trap_other_stack
PsPIN 3.2.2|error handling|the task after a fault
PsPIN 3.2.2|failed handlers|event segv payload
PsPIN 3.2.3|packets stop coming|event timeout
PsPIN 3.2.3|watchdog|PSPIN_ERROR_WATCHDOG
PsPIN 3.2.3|time budget of handlers|figures.h
PsPIN 3.3|interconnects|beat
PsPIN 3.3|flow 1|at the link's rate
PsPIN 3.3|flow 2|both_in_l2
PsPIN 3.3|flow 3|sends_in_l1
PsPIN 3.3|handler memory, read back|set spin_state
PsPIN 3.3|program memory|program memory
PsPIN 3.4|message matching|slmp SYN id 3
PsPIN 3.4|feedback|no_mpq
PsPIN 3.4|header first|header_first
PsPIN 3.4|reliability|duplicate
PsPIN 3.4|capabilities|--need
PsPIN 3.4|match-action tables|rule
PsPIN 3.4|UDP processing sockets|spin_socket__attach
PsPIN 3.4|TCP processing sockets|SOCK_STREAM
PsPIN 3.4|RDMA networks|match 5
END

# prints section, element and its paths; a missing part is printed as ?
unescape <"$MAN/spin-papers.7" | awk '
	function end() {
		if (names == "")
			return
		if (!same || !differs)
			paths = "?"
		for (i = split(names, name, "|"); i; i--)
			print section "|" name[i] "|" paths
		names = ""
	}
	/^\.(Ss|Sh|El)/ { end() }
	/^\.Ss / { section = substr($0, 5); sub(/, .*/, "", section) }
	/^\.It / {
		end()
		names = substr($0, 5)
		same = differs = shown = 0
		paths = ""
		if (gsub(/^(Va|Fn|Dv) | (Va|Fn|Dv) /, " ", names)) # otherwise words, which may contain a comma
			gsub(/ *, */, "|", names)
		sub(/^ */, "", names)
	}
	/^Same:/ { same = 1 }
	/^Differs:/ { differs = 1 }
	/^Shown by$/ { shown = 1 }
	shown && /^\.Pa / { line = substr($0, 4); gsub(/ ,/, "", line); paths = paths line }' >rows
[ "$(wc -l <rows)" -gt 120 ] || fail "only $(wc -l <rows) rows are found in spin-papers(7)"

# sources PATH: prints the file, and for a vector its handler with the handler's includes
sources() {
	case $1 in
	*.vec)
		echo "$ROOT/tests/vectors/$1"
		handler=$(sed -n 's/^handler //p' "$ROOT/tests/vectors/$1")
		for directory in "$ROOT/handlers" "$ROOT"/tests/handlers/*; do
			[ -f "$directory/$handler.c" ] || continue
			echo "$directory/$handler.c"
			sed -n "s|^#include \"\\(.*\\)\"\$|$directory/\\1|p" "$directory/$handler.c"
		done
		;;
	*) echo "$ROOT/$1" ;;
	esac
}

while IFS='|' read -r section element word; do
	if ! row=$(grep -F "$section|$element|" rows); then
		fail "no row of $section, $element"
		continue
	fi
	paths=${row##*|}
	case $paths in
	*\?*) fail "$section, $element: the row does not say what is the same and what differs"; continue ;;
	'') fail "$section, $element: the row names no vector and no test"; continue ;;
	esac
	found=
	for path in $paths; do
		case $path in *.vec) file=tests/vectors/$path ;; *) file=$path ;; esac
		[ -f "$ROOT/$file" ] || { fail "$section, $element: no file $file"; continue; }
		# no path contains a space
		cat $(sources "$path") | grep -qF -e "$word" && found=1
	done
	[ -n "$found" ] || fail "$section, $element: '$word' is in none of $paths"
done <elements

grep -q '^\.Xr spin-papers 7' "$MAN/spin-handler.7" || fail "spin-handler(7) does not name spin-papers(7)"
command -v mandoc >/dev/null || exit $FAILED
mandoc -T ascii -O width=78 "$MAN/spin-papers.7" | sed 's/.\x08//g' >text
awk 'length($0) > 80' text >wide
[ -s wide ] && fail "lines of more than 80 columns: $(head -n 1 wide)"
exit $FAILED
