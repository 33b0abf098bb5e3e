/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "user/spinctl/send.h"

int send_target__parse(const char *text, struct send_target *out)
{
	const char *colon = strrchr(text, ':'), *host = text, *end;

	/* more than one colon: an address of IPv6, which has a port only behind brackets */
	if (colon && colon != strchr(text, ':') && !(text[0] == '[' && colon[-1] == ']'))
		colon = NULL;
	end = colon ? colon : text + strlen(text);
	if (text[0] == '[' && end > text + 1 && end[-1] == ']') {
		host++;
		end--;
	}
	if (end == host || (size_t)(end - host) >= sizeof(out->host))
		return -1;
	memcpy(out->host, host, (size_t)(end - host));
	out->host[end - host] = '\0';
	out->port[0] = '\0';
	if (colon && (!colon[1] || strlen(colon + 1) >= sizeof(out->port)))
		return -1;
	if (colon)
		strcpy(out->port, colon + 1);
	return 0;
}
