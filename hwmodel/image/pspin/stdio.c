/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What PsPIN's handlers use of a C library, for programs of `spincc --api pspin`. Its own folder has only what is called. */
#include <stdarg.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <hwmodel/image/registers.h>

int putchar(int c)
{
	*(volatile uint32_t *)SOC_STDOUT = (unsigned char)c;
	return (unsigned char)c;
}

int puts(const char *text)
{
	while (*text)
		putchar(*text++);
	return putchar('\n');
}

/* How a conversion was written. */
struct form {
	unsigned width;
	_Bool left, zeros, alternate;
};

static int put_field(const struct form *form, const char *sign, const char *text, unsigned length)
{
	unsigned all = (unsigned)strlen(sign) + length, pad = form->width > all ? form->width - all : 0;

	for (unsigned i = 0; i < pad && !form->left && !form->zeros; i++)
		putchar(' ');
	for (const char *at = sign; *at; at++)
		putchar(*at);
	for (unsigned i = 0; i < pad && !form->left && form->zeros; i++)
		putchar('0');
	for (unsigned i = 0; i < length; i++)
		putchar(text[i]);
	for (unsigned i = 0; i < pad && form->left; i++)
		putchar(' ');
	return (int)(all + pad);
}

static int put_number(const struct form *form, char conversion, uint64_t value, _Bool is_negative)
{
	const char *digits = conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = conversion == 'o' ? 8 : conversion == 'x' || conversion == 'X' || conversion == 'p' ? 16 : 10;
	const char *sign = is_negative ? "-" : conversion == 'p' || (form->alternate && base == 16 && value) ? "0x" : "";
	char text[24], *at = text + sizeof(text);

	do {
		*--at = digits[value % base];
		value /= base;
	} while (value);
	return put_field(form, sign, at, (unsigned)(text + sizeof(text) - at));
}

static int put_signed(const struct form *form, char conversion, int64_t value)
{
	return put_number(form, conversion, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

int printf(const char *format, ...)
{
	int printed = 0;
	va_list args;

	va_start(args, format);
	for (; *format; format++) {
		struct form form = { 0 };
		unsigned longs = 0;
		const char *text;
		char c;

		if (*format != '%') {
			putchar(*format);
			printed++;
			continue;
		}
		for (format++; *format == '-' || *format == '0' || *format == '#' || *format == ' ' || *format == '+'; format++) {
			form.left |= *format == '-';
			form.zeros |= *format == '0';
			form.alternate |= *format == '#';
		}
		for (; *format >= '0' && *format <= '9'; format++)
			form.width = form.width * 10 + (unsigned)(*format - '0');
		for (; *format == 'l' || *format == 'h' || *format == 'z'; format++)
			longs += *format == 'l';
		switch (*format) {
		case 'd':
		case 'i':
			printed += put_signed(&form, 'd', longs > 1 ? va_arg(args, int64_t) : va_arg(args, int32_t));
			break;
		case 'u':
		case 'x':
		case 'X':
		case 'o':
		case 'p':
			printed += put_number(&form, *format, longs > 1 ? va_arg(args, uint64_t) : va_arg(args, uint32_t), 0);
			break;
		case 'c':
			c = (char)va_arg(args, int);
			printed += put_field(&form, "", &c, 1);
			break;
		case 's':
			text = va_arg(args, const char *);
			printed += put_field(&form, "", text, (unsigned)strlen(text));
			break;
		case '\0':
			format--;
			break;
		default: /* % itself, and what is not known */
			putchar(*format);
			printed++;
		}
	}
	va_end(args);
	return printed;
}

size_t strlen(const char *text)
{
	const char *end = text;

	while (*end)
		end++;
	return (size_t)(end - text);
}

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return (unsigned char)*a - (unsigned char)*b;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const unsigned char *x = a, *y = b;

	for (; bytes && *x == *y; bytes--, x++, y++)
		;
	return bytes ? *x - *y : 0;
}

void *memmove(void *to, const void *from, size_t bytes)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if (d <= s || d >= s + bytes)
		return memcpy(to, from, bytes);
	while (bytes--)
		d[bytes] = s[bytes];
	return to;
}
