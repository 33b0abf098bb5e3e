/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of a C library that PsPIN's handlers use: printf, puts, and functions on strings and memory, for programs of `spincc --api
 * pspin`. Output goes to a register of PsPIN, one store per character. Linked into each program; the linker drops functions that are not
 * called.
 */
#include <stdarg.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "hwmodel/include/hwmodel/registers.h"

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

/* Flags, width and precision of a conversion. */
struct form {
	unsigned width;
	int precision; /* -1: none */
	_Bool left, zeros, alternate, plus, space;
	int longs; /* number of l (j counts 2); -1, -2: h, hh */
};

/* Prints a sign or prefix, leading zeros, and the digits or text, padded to the width. */
static int put_field(const struct form *form, const char *sign, unsigned zeros, const char *text, unsigned length)
{
	unsigned all = (unsigned)strlen(sign) + zeros + length, pad = form->width > all ? form->width - all : 0;

	if (form->zeros && !form->left) {
		zeros += pad;
		all += pad;
		pad = 0;
	}
	for (unsigned i = 0; i < pad && !form->left; i++)
		putchar(' ');
	for (const char *at = sign; *at; at++)
		putchar(*at);
	for (unsigned i = 0; i < zeros; i++)
		putchar('0');
	for (unsigned i = 0; i < length; i++)
		putchar(text[i]);
	for (unsigned i = 0; i < pad && form->left; i++)
		putchar(' ');
	return (int)(all + pad);
}

/* Prints an integer in the base of its conversion. The sign is decided by the caller. */
static int put_number(struct form *form, char conversion, uint64_t value, const char *sign)
{
	const char *digits = conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = conversion == 'o' ? 8 : conversion == 'x' || conversion == 'X' || conversion == 'p' ? 16 : 10, length, zeros = 0;
	char text[24], *at = text + sizeof(text);

	if (conversion == 'p' || (form->alternate && base == 16 && value))
		sign = conversion == 'X' ? "0X" : "0x";
	for (; value; value /= base)
		*--at = digits[value % base];
	if (at == text + sizeof(text) && form->precision)
		*--at = '0';
	length = (unsigned)(text + sizeof(text) - at);
	if (form->precision >= 0) {
		form->zeros = 0;
		zeros = (unsigned)form->precision > length ? (unsigned)form->precision - length : 0;
	}
	if (form->alternate && base == 8 && !zeros && (!length || *at != '0'))
		zeros = 1;
	return put_field(form, sign, zeros, at, length);
}

static int put_signed(struct form *form, int64_t value)
{
	const char *sign = value < 0 ? "-" : form->plus ? "+" : form->space ? " " : "";

	return put_number(form, 'd', value < 0 ? -(uint64_t)value : (uint64_t)value, sign);
}

static int put_text(const struct form *form, const char *text)
{
	unsigned length = 0;

	if (!text)
		text = "(null)";
	while ((form->precision < 0 || length < (unsigned)form->precision) && text[length])
		length++;
	return put_field(form, "", 0, text, length);
}

/* Reads a number from the format, or from an argument in its place (*). */
static const char *read_number(const char *format, int *number, va_list *args)
{
	*number = 0;
	if (*format == '*') {
		*number = va_arg(*args, int);
		return format + 1;
	}
	for (; *format >= '0' && *format <= '9'; format++)
		*number = *number * 10 + (*format - '0');
	return format;
}

/* Reads everything between % and the conversion. */
static const char *read_form(const char *format, struct form *form, va_list *args)
{
	int width;

	*form = (struct form){ .precision = -1 };
	for (; *format == '-' || *format == '0' || *format == '#' || *format == ' ' || *format == '+'; format++) {
		form->left |= *format == '-';
		form->zeros |= *format == '0';
		form->alternate |= *format == '#';
		form->plus |= *format == '+';
		form->space |= *format == ' ';
	}
	format = read_number(format, &width, args);
	form->left |= width < 0;
	form->width = (unsigned)(width < 0 ? -width : width);
	if (*format == '.') {
		format = read_number(format + 1, &form->precision, args);
		if (form->precision < 0)
			form->precision = -1;
	}
	for (; *format == 'l' || *format == 'h' || *format == 'z' || *format == 't' || *format == 'j' || *format == 'L'; format++)
		form->longs += *format == 'l' ? 1 : *format == 'h' ? -1 : *format == 'j' ? 2 : 0;
	return format;
}

static int64_t take_signed(const struct form *form, va_list *args)
{
	int32_t value;

	if (form->longs > 1)
		return va_arg(*args, int64_t);
	value = va_arg(*args, int32_t);
	return form->longs == -1 ? (int16_t)value : form->longs < -1 ? (int8_t)value : value;
}

static uint64_t take_unsigned(const struct form *form, va_list *args)
{
	uint32_t value;

	if (form->longs > 1)
		return va_arg(*args, uint64_t);
	value = va_arg(*args, uint32_t);
	return form->longs == -1 ? (uint16_t)value : form->longs < -1 ? (uint8_t)value : value;
}

/* Consumes floating-point arguments but prints "?": an HPU has no floating point, and the code to format it would fill program memory. */
static int put_conversion(char conversion, struct form *form, va_list *args)
{
	char c;

	switch (conversion) {
	case 'd':
	case 'i':
		return put_signed(form, take_signed(form, args));
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		return put_number(form, conversion, take_unsigned(form, args), "");
	case 'p':
		return put_number(form, conversion, va_arg(*args, uint32_t), "");
	case 'c':
		c = (char)va_arg(*args, int);
		form->zeros = 0;
		return put_field(form, "", 0, &c, 1);
	case 's':
		form->zeros = 0;
		return put_text(form, va_arg(*args, const char *));
	case 'f':
	case 'F':
	case 'e':
	case 'E':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		(void)va_arg(*args, double);
		return put_field(form, "", 0, "?", 1);
	default: /* % itself, and unknown conversions */
		putchar(conversion);
		return 1;
	}
}

int printf(const char *format, ...)
{
	int printed = 0;
	va_list args;

	va_start(args, format);
	for (; *format; format++) {
		struct form form;

		if (*format != '%') {
			putchar(*format);
			printed++;
			continue;
		}
		format = read_form(format + 1, &form, &args);
		if (!*format)
			break;
		printed += put_conversion(*format, &form, &args);
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

int strncmp(const char *a, const char *b, size_t most)
{
	for (; most && *a && *a == *b; most--, a++, b++)
		;
	return most ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strcpy(char *to, const char *from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strncpy(char *to, const char *from, size_t bytes)
{
	size_t at = 0;

	for (; at < bytes && from[at]; at++)
		to[at] = from[at];
	for (; at < bytes; at++)
		to[at] = 0;
	return to;
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
