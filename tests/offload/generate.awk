# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Writes random XDP programs in C, valid for any kernel but not always for an NFP card. checker_agrees_with_the_driver.sh runs it, and
# compares what the checker and the driver make of them. The same seed gives the same programs.
#
#	awk -v seed=N -v count=N -v to=DIRECTORY -f generate.awk
function random(n) { # 0 to n - 1; its own generator, because awks differ
	state = (state * 16807) % 2147483647
	return int(state / 7) % n
}
function pick(list,    word, n) { n = split(list, word, " "); return word[1 + random(n)] }
function number() { return pick("1 2 3 7 8 16 31 32 63 64 100 127 128 255 256 300 1000 4095 65535 65536 70000 0x12345678 0x7fffffff") }
function variable() { return pick("a b c q r") }
function narrow() { return pick("a b c") }
function wide() { return pick("q r") }
function load(    width) {
	width = pick("char short int long")
	return "*(unsigned " width " *)(data + " random(56) ")"
}
function value_word() { return random(7) * 8 }
function expression(    n) {
	n = random(14)
	if (n < 3) return variable() " " pick("+ - & | ^") " " variable()
	if (n < 5) return variable() " " pick("+ - & | ^") " " number()
	if (n == 5) return variable() " " pick("<< >>") " " random(32)
	if (n == 6) return wide() " " pick("<< >>") " " random(64)
	if (n == 7) return load()
	if (n == 8) return "(" variable() " & " number() ") * " number()
	if (n == 9) return narrow() " * " pick(number() " (unsigned)" narrow())
	if (n == 10) return "(" narrow() " & 0xffff) / " pick("3 7 10 16 100 641")
	if (n == 11) return pick("__builtin_bswap16(" narrow() ") __builtin_bswap32(" narrow() ") __builtin_bswap64(" wide() ")")
	if (n == 12) return "(" pick("int long_long") ")" variable() " >> " random(32)
	return "-" variable()
}
function condition() {
	return pick("(int) (unsigned) (long_long)") variable() " " pick("== != > < >= <=") " " pick(number() " " variable() " -5 0")
}
function statement(depth,    n) {
	n = random(20)
	if (n < 9) return variable() " = " expression() ";\n"
	if (n < 11) return "*(unsigned " pick("char short int long") " *)(data + " random(56) ") = " variable() ";\n"
	if (n == 11) return "local[" random(6) "] = " variable() ";\n"
	if (n == 12) return variable() " = local[" random(6) "];\n"
	if (n == 13) return "key = " narrow() "; v = bpf_map_lookup_elem(&map, &key);\nif (v) { " variable() " += *(unsigned long *)(v + " random(3) * 8 "); }\n"
	if (n == 14) return "key = " narrow() "; v = bpf_map_lookup_elem(&map, &key);\nif (v) __sync_fetch_and_add((unsigned " pick("int long") " *)(v + " (3 + random(3)) * 8 "), " pick("1 " narrow() " " variable()) ");\n"
	if (n == 15) return variable() " = bpf_get_prandom_u32();\n"
	if (n == 16) return variable() " = add(" narrow() ", " narrow() ");\n"
	if (n == 17) return "barrier(" variable() ");\n"
	if (depth > 2) return "barrier(" variable() ");\n"
	if (n == 18) return "if (" condition() ") {\n" block(depth + 1, 1 + random(3)) "}\n"
	return "if (" condition() ") {\n" block(depth + 1, 1 + random(3)) "} else {\n" block(depth + 1, 1 + random(3)) "}\n"
}
function block(depth, n,    text) { while (n-- > 0) text = text statement(depth); return text }
BEGIN {
	state = seed * 7919 + 17
	for (i = 0; i < 20; i++) random(2)
	for (i = 0; i < count; i++) {
		file = sprintf("%s/generated_%03d.c", to, i)
		printf "%s", \
			"#include \"corpus.h\"\n" \
			"typedef long long long_long;\n" \
			"struct {\n__uint(type, BPF_MAP_TYPE_HASH);\n__uint(max_entries, 64);\n__type(key, unsigned);\n__uint(value_size, 48);\n} map SEC(\".maps\");\n" \
			"static __attribute__((noinline)) unsigned add(unsigned a, unsigned b)\n{\nbarrier(a);\nreturn a " pick("+ ^ | *") " b;\n}\n" \
			"SEC(\"xdp\") int prog(struct xdp_md *ctx)\n{\nunsigned a, b, c, key;\nunsigned long q, r, local[6];\nchar *v;\nPACKET(ctx);\n" \
			"a = *(unsigned *)data; b = *(unsigned short *)(data + 6); c = data[9];\nq = *(unsigned long *)(data + 16); r = *(unsigned int *)(data + 24);\n" \
			"local[0] = a; local[1] = b; local[2] = c; local[3] = q; local[4] = r; local[5] = 0;\n" \
			block(0, 4 + random(20)) \
			"*(unsigned long *)(data + 40) = a + b + c + q + r + local[1];\nreturn (a ^ q) & 1 ? " pick("XDP_DROP XDP_PASS XDP_TX") " : XDP_PASS;\n}\n" >file
		close(file)
	}
}
