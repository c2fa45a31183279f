// A picture of a world: one block of memory, the arrays behind the head, each at a multiple of 16.
#include "runtime/inside.h"

#include <string.h>

static size_t rounded(size_t size) { return (size + 15) / 16 * 16; }

// The contacts come last: what is cleared, hashed and handed over ends with those that there are.
typedef struct {
    plPicture head;
    size_t size; ///< of all that is used
} Block;

static size_t headSize(void) { return rounded(sizeof(Block)); }
static size_t bodiesSize(int n) { return rounded((size_t)n * sizeof(plPictureBody)); }
static size_t devicesSize(int n) { return rounded((size_t)n * sizeof(plPictureDevice)); }
static size_t contactsSize(int n) { return rounded((size_t)n * sizeof(plPictureContact)); }

static const char* behind(const plPicture* p, size_t offset) { return (const char*)p + offset; }

const plPictureBody* plPicture_Bodies(const plPicture* p)
{
    return (const void*)behind(p, headSize());
}

const plPictureDevice* plPicture_Devices(const plPicture* p)
{
    return (const void*)behind(p, headSize() + bodiesSize(p->bodyCount));
}

const plPictureContact* plPicture_Contacts(const plPicture* p)
{
    return (const void*)behind(p,
                               headSize() + bodiesSize(p->bodyCount) + devicesSize(p->deviceCount));
}

static int partsOf(const plWorld* w)
{
    int sum = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        sum += plWorld_PartCount(w, plWorld_Mechanism(w, i));
    }
    return sum;
}

size_t plPicture_Size(const plWorld* w, int contacts)
{
    return headSize() + bodiesSize(partsOf(w)) + devicesSize(plWorld_DeviceCount(w)) +
           contactsSize(contacts);
}

static uint64_t checkOf(const plPicture* p)
{
    const Block* b = (const void*)p;
    const size_t skip = offsetof(plPicture, check) + sizeof p->check;
    uint64_t h = plHash_Add(plHash_Start(), p, offsetof(plPicture, check));
    return plHash_Add(h, (const char*)p + skip, b->size - skip);
}

bool plPicture_Whole(const plPicture* p) { return p->check == checkOf(p); }

static void putBodies(const plWorld* w, plPictureBody* to)
{
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plMechanismId id = plWorld_Mechanism(w, i);
        for (int part = 0; part < plWorld_PartCount(w, id); ++part, ++to) {
            plMotion m;
            plWorld_Motion(w, (plSite){.mechanism = id, .part = part}, &m);
            *to = (plPictureBody){i, part, {m.x, plQuatOf(&m.R)}};
        }
    }
}

static void putContacts(const plWorld* w, plPictureContact* to, int count)
{
    for (int i = 0; i < count; ++i) {
        plContactInfo c;
        plMotion m;
        plWorld_Contact(w, i, &c);
        plWorld_Motion(w, c.a, &m);
        to[i] = (plPictureContact){.at = m.x,
                                   .normal = c.normal,
                                   .force = c.force,
                                   .gap = c.gap,
                                   .shapeA = (int)c.shapeA.index1 - 1,
                                   .shapeB = (int)c.shapeB.index1 - 1};
    }
}

static void putDevices(const plWorld* w, plPictureDevice* to)
{
    for (int i = 0; i < plWorld_DeviceCount(w); ++i) {
        const plDeviceId id = {(uint32_t)i + 1, 1};
        plSample sample;
        plWorld_DeviceSample(w, id, &sample);
        plWorld_DevicePose(w, id, &to[i].pose);
        plWorld_DeviceForce(w, id, &to[i].written);
        to[i].sample = sample.pose;
        to[i].hand = sample.hand;
    }
}

// All bytes are written, gaps too, because all are hashed.
void plPicture_Take(plPicture* p, const plPicture* head, const plWorld* w, int contacts)
{
    Block* b = (void*)p;
    const int all = plWorld_ContactCount(w), count = all < contacts ? all : contacts;
    const size_t size = plPicture_Size(w, count);
    memset(b, 0, size);
    memcpy(p, head, sizeof *p);
    b->size = size;
    p->tick = plWorld_Tick(w);
    p->hash = plWorld_Hash(w);
    p->time = plWorld_Time(w);
    p->report = plWorld_Report(w);
    p->ledger = plWorld_Ledger(w);
    p->contacts = plWorld_ContactLedger(w);
    p->bodyCount = partsOf(w);
    p->deviceCount = plWorld_DeviceCount(w);
    p->contactCount = count;
    putBodies(w, (void*)plPicture_Bodies(p));
    putDevices(w, (void*)plPicture_Devices(p));
    putContacts(w, (void*)plPicture_Contacts(p), count);
    p->check = checkOf(p);
}
