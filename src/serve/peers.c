// Where connections come from: how many of one address there are, and how often it may guess a token.
#define _GNU_SOURCE

#include "serve/net.h"

#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static const double guessesAtOnce = 10;

static double now(void) { return 1e-6 * (double)lws_now_usecs(); }

// Who has one address of the sixth version has 2^64 of them: its network counts.
static bool addressOf(int socket, unsigned char address[16])
{
    struct sockaddr_storage from = {0};
    socklen_t size = sizeof from;
    memset(address, 0, 16);
    if (getpeername(socket, (struct sockaddr*)&from, &size) != 0) return false;
    if (from.ss_family == AF_INET) {
        address[10] = address[11] = 0xff;
        memcpy(address + 12, &((const struct sockaddr_in*)&from)->sin_addr, 4);
        return true;
    }
    if (from.ss_family != AF_INET6) return false;
    const struct in6_addr* a = &((const struct sockaddr_in6*)&from)->sin6_addr;
    memcpy(address, a, IN6_IS_ADDR_V4MAPPED(a) ? 16 : 8);
    return true;
}

plPeer* plPeers_Of(plServer* s, int socket)
{
    unsigned char address[16];
    plPeer* oldest = NULL;
    if (!addressOf(socket, address)) return NULL;
    for (int i = 0; i < plServerPeers; ++i) {
        plPeer* p = &s->peers[i];
        if (p->seen > 0 && memcmp(p->address, address, sizeof address) == 0) {
            p->seen = now();
            return p;
        }
        if (p->connections == 0 && (!oldest || p->seen < oldest->seen)) oldest = p;
    }
    if (!oldest) return NULL;
    *oldest = (plPeer){.seen = now(), .guesses = guessesAtOnce, .counted = now()};
    memcpy(oldest->address, address, sizeof address);
    return oldest;
}

double plPeer_Wait(const plServer* s, plPeer* p)
{
    const double time = now();
    p->guesses = fmin(guessesAtOnce, p->guesses + (time - p->counted) / s->def.guess);
    p->counted = time;
    return p->guesses >= 1 ? 0 : (1 - p->guesses) * s->def.guess;
}

void plPeer_Guessed(plPeer* p, const char* token)
{
    if (strcmp(p->guess, token) == 0) return;
    p->guesses -= 1;
    snprintf(p->guess, sizeof p->guess, "%s", token);
}
