# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Capabilities of the firmware bpf-2.0.6.124 of NFP cards (Agilio), as all 12 of its images report them (_abi_bpf_capabilities), and what
# the driver reads from the card's control BAR. The checker of kernel/nfp/ has it built in (profile_image.S) and uses it unless a card's
# own profile is given. README.md, "Profiles", has the format.
firmware bpf-2.0.6.124

# maps
map_types hash,array
maps_max 128
entries_max 3072000
key_bytes_max 56
value_bytes_max 56
element_bytes_max 64

# functions of the firmware
map_lookup 1
map_update 0
map_delete 0
perf_event_output 1
random 1
queue_select 1
adjust_tail 1

# bpf_xdp_adjust_head: where the packet may begin in its buffer, and what is always possible
adjust_head 1
head_offset_min 44
head_offset_max 248
head_guaranteed_sub 84
head_guaranteed_add 112

# the control BAR's; inline_chunks is not in the firmware's image: assumed, as it is with the driver in the test guest
instructions_max 2800
stack_bytes 512
inline_chunks 32
