// A picture of a world: one block of memory, the arrays behind the head, each at a multiple of 16.
#include "runtime/inside.h"
#include "world/world.h"

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
static size_t accountsSize(int n) { return rounded((size_t)n * sizeof(plAccount)); }
static size_t portsSize(int n) { return rounded((size_t)n * sizeof(plPort)); }
static size_t pointsSize(int n) { return rounded(3 * (size_t)n * sizeof(float)); }
static size_t ownersSize(int n) { return rounded((size_t)n * sizeof(plPictureOwner)); }

static const char* behind(const plPicture* p, size_t offset) { return (const char*)p + offset; }

const plPictureBody* plPicture_Bodies(const plPicture* p)
{
    return (const void*)behind(p, headSize());
}

const plPictureDevice* plPicture_Devices(const plPicture* p)
{
    return (const void*)behind(p, headSize() + bodiesSize(p->bodyCount));
}

static size_t accountsAt(const plPicture* p)
{
    return headSize() + bodiesSize(p->bodyCount) + devicesSize(p->deviceCount);
}

const plAccount* plPicture_DeviceAccounts(const plPicture* p)
{
    return (const void*)behind(p, accountsAt(p));
}

static size_t portsAt(const plPicture* p)
{
    return accountsAt(p) + (p->accounted ? accountsSize(p->deviceCount) : 0);
}

const plPort* plPicture_Ports(const plPicture* p) { return (const void*)behind(p, portsAt(p)); }

static size_t mechanismsAt(const plPicture* p) { return portsAt(p) + portsSize(p->couplingCount); }

const plPictureOwner* plPicture_Mechanisms(const plPicture* p)
{
    return (const void*)behind(p, mechanismsAt(p));
}

static size_t linksAt(const plPicture* p)
{
    return mechanismsAt(p) + ownersSize(p->mechanismCount);
}

const plPictureOwner* plPicture_Links(const plPicture* p)
{
    return (const void*)behind(p, linksAt(p));
}

static size_t pointsAt(const plPicture* p) { return linksAt(p) + ownersSize(p->linkCount); }

const float* plPicture_Points(const plPicture* p) { return (const void*)behind(p, pointsAt(p)); }

static size_t contactsAt(const plPicture* p) { return pointsAt(p) + pointsSize(p->pointCount); }

const plPictureContact* plPicture_Contacts(const plPicture* p)
{
    return (const void*)behind(p, contactsAt(p));
}

static int partsOf(const plWorld* w)
{
    int sum = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        sum += plWorld_PartCount(w, plWorld_Mechanism(w, i));
    }
    return sum;
}

static int pointsOf(const plWorld* w)
{
    int sum = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        sum += plWorld_SoftSurface(w, plWorld_Mechanism(w, i)).nodeCount;
    }
    return sum;
}

static void count(plPicture* p, const plWorld* w, int contacts)
{
    p->pointCount = pointsOf(w);
    p->bodyCount = partsOf(w);
    p->deviceCount = plWorld_DeviceCount(w);
    p->contactCount = contacts;
    p->couplingCount = p->accounted ? plWorld_CouplingCount(w) : 0;
    p->mechanismCount = p->accounted ? plWorld_MechanismCount(w) : 0;
    p->linkCount = p->accounted ? plWorld_LinkCount(w) : 0;
}

static size_t sizeOf(const plPicture* p) { return contactsAt(p) + contactsSize(p->contactCount); }

size_t plPicture_Size(const plWorld* w, int contacts)
{
    plPicture p = {.accounted = true};
    count(&p, w, contacts);
    return sizeOf(&p);
}

// Eight chains that do not wait for each other: eight words in the time of one. Each step can be undone,
// so that a change of one word always changes its chain.
typedef struct {
    uint64_t chains[8];
} Check;

static void addBytes(Check* c, const void* bytes, size_t size)
{
    const char* at = bytes;
    uint64_t words[8];
    for (; size > 0; at += sizeof words) {
        const size_t piece = size < sizeof words ? size : sizeof words;
        if (piece < sizeof words) memset(words, 0, sizeof words);
        memcpy(words, at, piece);
        for (int i = 0; i < 8; ++i) {
            c->chains[i] = (c->chains[i] ^ words[i]) * 0x9e3779b97f4a7c15u + 1;
        }
        size -= piece;
    }
}

static uint64_t checkOf(const plPicture* p)
{
    const Block* b = (const void*)p;
    const size_t skip = offsetof(plPicture, check) + sizeof p->check;
    Check c = {{0}};
    addBytes(&c, p, offsetof(plPicture, check));
    addBytes(&c, (const char*)p + skip, b->size - skip);
    return plHash_Add(plHash_Start(), &c, sizeof c);
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

// Bodies are in order of their mechanisms, and the parts of one in a row.
static const plPictureBody* bodyOf(const plPicture* p, int mechanism, int part)
{
    const plPictureBody* bodies = plPicture_Bodies(p);
    int low = 0, high = p->bodyCount;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (bodies[middle].mechanism < mechanism) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &bodies[low + part];
}

// On a soft body the part is a face, and the point are the weights of its corners.
static plVec3 onFace(const plSurfaceView* surface, plSite site)
{
    const int* corner = &surface->faces[3 * (site.part - 1)];
    const plVec3 *x = surface->x, w = site.point;
    return plAddScaled(plAddScaled(plScale(w.x, x[corner[0]]), w.y, x[corner[1]]), w.z,
                       x[corner[2]]);
}

// Where it is follows from the pose of its part, which is there already: asking the world would take ten
// times as long. The first of the two is never the ground.
static plVec3 placeOf(const plWorld* w, const plPicture* p, plSite site)
{
    const plSurfaceView surface = plWorld_SoftSurface(w, site.mechanism);
    if (surface.nodeCount > 0 && site.part > 0) return onFace(&surface, site);
    const plPose* pose = &bodyOf(p, (int)site.mechanism.index1 - 1, site.part)->pose;
    const plMat3 R = plRotation(pose->q);
    return plAdd(pose->p, plMul(&R, site.point));
}

static void putContacts(const plWorld* w, const plPicture* p, plPictureContact* to)
{
    for (int i = 0; i < p->contactCount; ++i) {
        plContactInfo c;
        plWorld_Contact(w, i, &c);
        to[i] = (plPictureContact){.at = placeOf(w, p, c.a),
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

static void putPoints(const plWorld* w, float* to)
{
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        const plSurfaceView surface = plWorld_SoftSurface(w, plWorld_Mechanism(w, i));
        for (int k = 0; k < surface.nodeCount; ++k) {
            *to++ = (float)surface.x[k].x;
            *to++ = (float)surface.x[k].y;
            *to++ = (float)surface.x[k].z;
        }
    }
}

static plPictureOwner ownerOf(const plAccount* a)
{
    return (plPictureOwner){a->kinetic, a->applied, a->integrator, a->leak};
}

static void putAccounts(const plWorld* w, plPicture* p)
{
    plAccount* devices = (void*)plPicture_DeviceAccounts(p);
    plPort* ports = (void*)plPicture_Ports(p);
    plPictureOwner* mechanisms = (void*)plPicture_Mechanisms(p);
    plPictureOwner* links = (void*)plPicture_Links(p);
    plAccount a = {0};
    for (int i = 0; i < p->deviceCount; ++i) {
        plWorld_DeviceLedger(w, (plDeviceId){(uint32_t)i + 1, 1}, &devices[i]);
    }
    for (int i = 0; i < p->couplingCount; ++i) {
        plWorld_Port(w, (plCouplingId){(uint32_t)i + 1, 1}, &ports[i]);
    }
    for (int i = 0; i < p->mechanismCount; ++i) {
        plWorld_MechanismLedger(w, plWorld_Mechanism(w, i), &a);
        mechanisms[i] = ownerOf(&a);
    }
    for (int i = 0; i < p->linkCount; ++i) {
        plWorld_LinkLedger(w, plWorld_Link(w, i), &a);
        links[i] = ownerOf(&a);
    }
}

// All bytes are written, gaps too, because all are checked.
void plPicture_Take(plPicture* p, const plPicture* head, const plWorld* w, int contacts)
{
    Block* b = (void*)p;
    const int all = plWorld_ContactCount(w);
    memset(b, 0, sizeof *b);
    memcpy(p, head, sizeof *p);
    count(p, w, all < contacts ? all : contacts);
    b->size = sizeOf(p);
    memset((char*)p + sizeof *b, 0, b->size - sizeof *b);
    p->tick = plWorld_Tick(w);
    p->time = plWorld_Time(w);
    p->report = plWorld_Report(w);
    p->ledger = plWorld_Ledger(w);
    p->contacts = plWorld_ContactLedger(w);
    putBodies(w, (void*)plPicture_Bodies(p));
    putDevices(w, (void*)plPicture_Devices(p));
    if (p->accounted) putAccounts(w, p);
    putPoints(w, (void*)plPicture_Points(p));
    putContacts(w, p, (void*)plPicture_Contacts(p));
    p->check = checkOf(p);
}
