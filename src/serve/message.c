// Messages to bytes and back. Every number of a client is looked at before it is believed.
#include "serve/serve.h"

#include <math.h>
#include <string.h>

enum { commandBytes = 88 };

enum {
    typeText,
#define X(name, word) type##name,
    PL_SERVER_MESSAGES(X)
#undef X
};

// --- little-endian, whatever the machine

static uint32_t get32(const unsigned char* b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t get64(const unsigned char* b)
{
    return (uint64_t)get32(b) | (uint64_t)get32(b + 4) << 32;
}

static int getInt(const unsigned char* b)
{
    const uint32_t u = get32(b);
    int32_t i;
    memcpy(&i, &u, sizeof i);
    return i;
}

static double getDouble(const unsigned char* b)
{
    const uint64_t u = get64(b);
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static unsigned char* put16(unsigned char* b, unsigned x)
{
    b[0] = (unsigned char)(x & 255);
    b[1] = (unsigned char)(x >> 8 & 255);
    return b + 2;
}

static unsigned char* put32(unsigned char* b, uint32_t x)
{
    return put16(put16(b, x & 0xffff), x >> 16);
}

static unsigned char* putInt(unsigned char* b, int x) { return put32(b, (uint32_t)x); }

static unsigned char* putDouble(unsigned char* b, double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return put32(put32(b, (uint32_t)(u & 0xffffffffu)), (uint32_t)(u >> 32));
}

static unsigned char* putFloat(unsigned char* b, double x)
{
    const float f = (float)x;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return put32(b, u);
}

// --- from clients

static const char* decodeCommand(const unsigned char* b, size_t size, plCommand* c)
{
    double numbers[8];
    if (size != commandBytes) return "a command has 88 bytes";
    for (int i = 0; i < 8; ++i) {
        numbers[i] = getDouble(b + 24 + 8 * i);
        if (!isfinite(numbers[i])) return "numbers of a command must be finite";
    }
    const int kind = getInt(b + 4);
    if (kind < 0 || kind >= pl_commandCount) return "there is no such command";
    const double* p = numbers + 1;
    *c = (plCommand){.kind = (plCommandKind)kind,
                     .index = getInt(b + 8),
                     .choice = getInt(b + 12),
                     .part = getInt(b + 16),
                     .value = numbers[0],
                     .pose = {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}}};
    return plCommand_Complaint(c);
}

static const char* decodeWatch(const unsigned char* b, size_t size, plMessage* m)
{
    if (size < 8) return "a list of channels has 8 bytes and more";
    const uint32_t count = get32(b + 4);
    if (count > plMessageChannels) return "at most 64 channels can be watched";
    if (size != 8 + 4 * (size_t)count) return "a list of channels is not as long as it says";
    m->channelCount = (int)count;
    for (int i = 0; i < m->channelCount; ++i) {
        m->channels[i] = getInt(b + 8 + 4 * i);
        if (m->channels[i] < 0) return "there is no such channel";
    }
    return NULL;
}

static const char* decodeLook(const unsigned char* b, size_t size, plMessage* m)
{
    if (size != 8) return "a message about looking has 8 bytes";
    const uint32_t looks = get32(b + 4);
    if (looks > 1) return "looking is 1, and no longer 0";
    m->looks = looks == 1;
    return NULL;
}

const char* plMessage_Decode(const void* bytes, size_t size, plMessage* m)
{
    const unsigned char* b = bytes;
    memset(m, 0, sizeof *m);
    if (size < 4 || size > plMessageBytes) return "a message has 4 to 512 bytes";
    const uint32_t kind = get32(b);
    if (kind >= pl_messageCount) return "there is no such message";
    m->kind = (plMessageKind)kind;
    if (m->kind == pl_messageCommand) return decodeCommand(b, size, &m->command);
    if (m->kind == pl_messageWatch) return decodeWatch(b, size, m);
    if (m->kind == pl_messageLook) return decodeLook(b, size, m);
    return size == 4 ? NULL : "this message has 4 bytes";
}

static size_t encodeCommand(const plCommand* c, unsigned char* b)
{
    unsigned char* const begin = b;
    const double numbers[8] = {c->value,    c->pose.p.x, c->pose.p.y, c->pose.p.z,
                               c->pose.q.w, c->pose.q.x, c->pose.q.y, c->pose.q.z};
    b = put32(b, pl_messageCommand);
    b = putInt(putInt(putInt(putInt(b, (int)c->kind), c->index), c->choice), c->part);
    b = put32(b, 0);
    for (int i = 0; i < 8; ++i) b = putDouble(b, numbers[i]);
    return (size_t)(b - begin);
}

size_t plMessage_Encode(const plMessage* m, void* bytes)
{
    unsigned char* b = bytes;
    if (m->kind == pl_messageCommand) return encodeCommand(&m->command, b);
    b = put32(b, (uint32_t)m->kind);
    if (m->kind == pl_messageLook) {
        put32(b, m->looks);
        return 8;
    }
    if (m->kind != pl_messageWatch) return 4;
    b = put32(b, (uint32_t)m->channelCount);
    for (int i = 0; i < m->channelCount; ++i) b = putInt(b, m->channels[i]);
    return 8 + 4 * (size_t)m->channelCount;
}

// --- to clients

enum { bodyFloats = 7, contactFloats = 12, deviceFloats = 26 };

size_t plPicture_EncodedSize(const plPicture* p)
{
    return 8 + 8 * (size_t)plPictureNumbers +
           4 * ((size_t)p->bodyCount * bodyFloats + (size_t)p->contactCount * contactFloats +
                (size_t)p->deviceCount * deviceFloats);
}

static unsigned char* putNumbers(unsigned char* b, const plPicture* p)
{
    const plStepReport* r = &p->report;
    const plAccount *a = &p->ledger, *c = &p->contacts;
    const plTiming* t = &p->timing;
#define X(name, value, what) (double)(value),
    const double numbers[] = {PL_PICTURE_NUMBERS(X)};
#undef X
    for (int i = 0; i < plPictureNumbers; ++i) b = putDouble(b, numbers[i]);
    return b;
}

static unsigned char* putVec(unsigned char* b, plVec3 a)
{
    return putFloat(putFloat(putFloat(b, a.x), a.y), a.z);
}

static unsigned char* putPose(unsigned char* b, const plPose* p)
{
    b = putVec(b, p->p);
    return putFloat(putFloat(putFloat(putFloat(b, p->q.w), p->q.x), p->q.y), p->q.z);
}

static unsigned char* putWrench(unsigned char* b, const plWrench* w)
{
    return putVec(putVec(b, w->force), w->torque);
}

void plPicture_Encode(const plPicture* p, void* bytes)
{
    unsigned char* b = bytes;
    *b++ = typePicture;
    *b++ = (unsigned char)(p->paused | p->timing.realtime << 1 | p->timing.locked << 2 |
                           p->timing.stalled << 3);
    b = put16(b, (unsigned)p->bodyCount);
    b = put16(b, (unsigned)p->contactCount);
    b = put16(b, (unsigned)p->deviceCount);
    b = putNumbers(b, p);
    for (int i = 0; i < p->bodyCount; ++i) b = putPose(b, &plPicture_Bodies(p)[i].pose);
    for (int i = 0; i < p->contactCount; ++i) {
        const plPictureContact* c = &plPicture_Contacts(p)[i];
        b = putVec(putVec(putVec(b, c->at), c->normal), c->force);
        b = putFloat(putFloat(putFloat(b, c->gap), c->shapeA), c->shapeB);
    }
    for (int i = 0; i < p->deviceCount; ++i) {
        const plPictureDevice* d = &plPicture_Devices(p)[i];
        b = putPose(putPose(b, &d->pose), &d->sample);
        b = putWrench(putWrench(b, &d->written), &d->hand);
    }
}

// --- accounts

#define X(name, value) +1
enum {
    worldNumbers = PL_WORLD_ACCOUNT(X),
    deviceNumbers = PL_DEVICE_ACCOUNT(X),
    couplingNumbers = PL_COUPLING_ACCOUNT(X),
    mechanismNumbers = PL_MECHANISM_ACCOUNT(X),
    linkNumbers = PL_LINK_ACCOUNT(X)
};
#undef X

size_t plAccounts_EncodedSize(const plPicture* p)
{
    return 16 +
           8 * (worldNumbers + deviceNumbers * (size_t)p->deviceCount +
                couplingNumbers * (size_t)p->couplingCount +
                mechanismNumbers * (size_t)p->mechanismCount + linkNumbers * (size_t)p->linkCount);
}

static unsigned char* putAll(unsigned char* b, const double* numbers, int count)
{
    for (int i = 0; i < count; ++i) b = putDouble(b, numbers[i]);
    return b;
}

#define X(name, value) (double)(value),

static unsigned char* putWorld(unsigned char* b, const plPicture* p)
{
    const plAccount *a = &p->ledger, *c = &p->contacts;
    return putAll(b, (double[]){PL_WORLD_ACCOUNT(X)}, worldNumbers);
}

void plAccounts_Encode(const plPicture* p, void* bytes)
{
    unsigned char* b = bytes;
    *b++ = typeAccounts;
    *b++ = 0;
    b = put16(put16(put16(b, (unsigned)p->deviceCount), (unsigned)p->couplingCount),
              (unsigned)p->mechanismCount);
    b = put32(put32(b, (uint32_t)p->linkCount), 0);
    b = putWorld(b, p);
    for (int i = 0; i < p->deviceCount; ++i) {
        const plAccount* o = &plPicture_DeviceAccounts(p)[i];
        b = putAll(b, (double[]){PL_DEVICE_ACCOUNT(X)}, deviceNumbers);
    }
    for (int i = 0; i < p->couplingCount; ++i) {
        const plPort* o = &plPicture_Ports(p)[i];
        b = putAll(b, (double[]){PL_COUPLING_ACCOUNT(X)}, couplingNumbers);
    }
    for (int i = 0; i < p->mechanismCount; ++i) {
        const plPictureOwner* o = &plPicture_Mechanisms(p)[i];
        b = putAll(b, (double[]){PL_MECHANISM_ACCOUNT(X)}, mechanismNumbers);
    }
    for (int i = 0; i < p->linkCount; ++i) {
        const plPictureOwner* o = &plPicture_Links(p)[i];
        b = putAll(b, (double[]){PL_LINK_ACCOUNT(X)}, linkNumbers);
    }
}

#undef X

// --- surfaces

size_t plSurfaces_EncodedSize(const plSurfaceList* s) { return 8 + 12 * (size_t)s->pointCount; }

void plSurfaces_Encode(const plSurfaceList* s, const plPicture* p, void* bytes)
{
    const float* points = plPicture_Points(p);
    unsigned char* b = bytes;
    *b++ = typeSurfaces;
    *b++ = 0;
    b = put16(b, (unsigned)s->bodyCount);
    b = put32(b, (uint32_t)s->pointCount);
    for (int i = 0; i < s->pointCount; ++i) {
        const float* x = &points[3 * s->points[i]];
        for (int k = 0; k < 3; ++k) b = putFloat(b, (double)x[k]);
    }
}

// --- the response of contacts

size_t plLook_Encode(const plLook* look, uint64_t tick, void* bytes)
{
    unsigned char* b = bytes;
    *b++ = typeLook;
    *b++ = (unsigned char)look->dim;
    b = put16(b, (unsigned)look->count);
    b = put32(b, (uint32_t)look->all);
    b = putDouble(b, (double)tick);
    for (int i = 0; i < look->count; ++i) {
        b = putInt(putInt(b, look->shapes[i][0]), look->shapes[i][1]);
    }
    for (int i = 0; i < look->count * look->count; ++i) {
        b = putFloat(b, sqrt((double)look->squares[i]));
    }
    return (size_t)(b - (unsigned char*)bytes);
}

// --- rows

size_t plRows_EncodedSize(int channels, int rows)
{
    return 8 + 8 * (size_t)rows * ((size_t)channels + 1);
}

void plRows_Encode(const double* rows, int channels, int count, void* bytes)
{
    unsigned char* b = bytes;
    *b++ = typeRows;
    *b++ = 0;
    b = put16(b, (unsigned)channels);
    b = put32(b, (uint32_t)count);
    if (rows) plRows_Put(rows, count * (channels + 1), b);
}

void plRows_Put(const double* numbers, int count, void* bytes)
{
    unsigned char* b = bytes;
    for (int i = 0; i < count; ++i) b = putDouble(b, numbers[i]);
}
