// What a world for a scene's content needs.
#include "collide/collide.h"
#include "contact/contact.h"
#include "law/law.h"
#include "scene/build.h"

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/// Link rows of the largest group.
static int groupRows(const plBuilder* b)
{
    int rows = 0;
    for (int i = 0; i < b->mechanismCount; i++) rows = most(rows, b->mechanisms[i].rows);
    return rows;
}

plWorldCapacity plBuilder_Least(const plBuilder* b)
{
    const bool touches = b->shapeCount > 0;
    return (plWorldCapacity){.mechanisms = b->mechanismCount,
                             .links = b->linkCount,
                             .drives = b->driveCount,
                             .rows = groupRows(b),
                             .shapes = b->shapeCount,
                             .materials = touches ? b->materialCount : 0,
                             .ignored = touches ? b->ignoredCount : 0,
                             .softFaces = touches ? b->softFaces : 0,
                             .softNodes = touches ? b->softNodes : 0,
                             .devices = b->deviceCount,
                             .couplings = b->couplingCount};
}

// ------------------------------------------------------------------------------------ counts

static void give(int given, int* count)
{
    if (given >= 0) *count = given;
}

/// Where something can touch, contacts may make one group of all that links join. Contacts of soft
/// bodies are rows of one group, with links or without.
static int enoughRows(const plBuilder* b, bool touches)
{
    enum { spareRows = 48, contactRows = 3 * 160 };
    int rows = groupRows(b) + spareRows;
    if (touches && b->linkCount > 0) rows = most(rows, b->linkRows + contactRows);
    if (touches) rows = most(rows, b->linkRows + 3 * b->softContacts);
    return least(rows, plMaxRows);
}

static plWorldCapacity enough(const plBuilder* b, const plWorldCapacity* given)
{
    enum {
        spare = 8,
        contactsOfPart = 24,
        leastContacts = 64,
        pairsOfShape = 24,
        leastPairs = 256,
        surfacePairs = 16
    };
    plWorldCapacity c = {.mechanisms = b->mechanismCount + spare,
                         .links = b->linkCount + spare,
                         .drives = b->driveCount + spare,
                         .shapes = b->shapeCount > 0 ? b->shapeCount + spare : 0,
                         .devices = least(b->deviceCount + spare, plMaxDevices),
                         .couplings = least(b->couplingCount + spare, plMaxCouplings)};
    give(given->shapes, &c.shapes);
    // What can never touch takes no memory for it.
    if (c.shapes > 0) {
        c.materials = b->materialCount + spare;
        c.ignored = b->ignoredCount + spare;
        const int ofParts = contactsOfPart * b->carrierCount + b->softContacts;
        c.softFaces = b->softFaces;
        c.softNodes = b->softNodes;
        c.surfaces = surfacePairs;
        c.contacts = most(leastContacts, least(ofParts, plMaxContacts));
        c.pairs = most(leastPairs, least(pairsOfShape * c.shapes, plMaxPairs));
    }
    c.rows = enoughRows(b, c.shapes > 0);
    give(given->mechanisms, &c.mechanisms);
    give(given->links, &c.links);
    give(given->drives, &c.drives);
    give(given->rows, &c.rows);
    give(given->materials, &c.materials);
    give(given->contacts, &c.contacts);
    give(given->pairs, &c.pairs);
    give(given->ignored, &c.ignored);
    give(given->softFaces, &c.softFaces);
    give(given->softNodes, &c.softNodes);
    give(given->surfaces, &c.surfaces);
    give(given->devices, &c.devices);
    give(given->couplings, &c.couplings);
    return c;
}

// ------------------------------------------------------------------------------------ memory

enum { perElement = 4096 };

/// Velocities of the largest mechanism.
static size_t widestOf(const plBuilder* b)
{
    int widest = 0;
    for (int i = 0; i < b->mechanismCount; i++) widest = most(widest, b->mechanisms[i].velocities);
    return (size_t)widest;
}

static size_t motionMemory(const plBuilder* b, const plWorldCapacity* c)
{
    const size_t real = sizeof(double), base = 1u << 20;
    const size_t rows = (size_t)most(c->rows, c->shapes > 0 ? 3 * plSystemDense : 0);
    size_t memory = base;
    for (int i = 0; i < b->mechanismCount; i++) {
        const plBuiltMechanism* m = &b->mechanisms[i];
        const size_t n = (size_t)m->velocities, joints = (size_t)m->jointRows;
        // Mass, Coriolis, stiffness, damping, their factors and workspaces: n x n matrices; two more
        // for grips.
        memory += (2 + (size_t)m->parts) * perElement + 20 * n * n * real;
        // Rows of joints, their factors in three places, and what shares out redundant ones.
        memory += joints * (5 * n + 9 * joints + 48) * real + joints * perElement;
    }
    // Response of the rows and its factors, and their images in one mechanism.
    memory += rows * (3 * rows + 2 * widestOf(b)) * real;
    // The share of deformations in it, and a state that is an eighth of all.
    if (b->softNodes > 0) memory += rows * rows * real + 8 * b->softState;
    memory += (size_t)(c->devices + c->couplings) * perElement;
    memory += (size_t)b->pointCount * sizeof(plWaypoint) + b->guideMemory;
    memory += b->potentialMemory;
    return memory + (size_t)(b->linkCount + b->driveCount) * perElement;
}

/// Twice what is counted: a world keeps lists of its own beside these.
static size_t contactMemory(const plBuilder* b, const plWorldDef* def, const plWorldCapacity* c)
{
    enum { perContact = 8192 };
    const int dim = def->planar ? 2 : 3, blocks = plSystemBlocks * c->contacts;
    const size_t materials = (size_t)c->materials + 1, contacts = (size_t)c->contacts;
    plCollideDef collide = plDefaultCollideDef();
    collide.proxies = c->shapes;
    collide.pairs = c->pairs;
    collide.contacts = c->contacts;
    collide.ignored = c->ignored;
    collide.skinFaces = c->softFaces;
    collide.skinPoints = c->softNodes;
    collide.tracked = c->surfaces;
    size_t memory = plCollide_Memory(&collide) + b->shapeMemory;
    memory += plSpace_Size(dim, c->contacts, blocks + 1) + plSpace_Size(1, c->contacts, blocks + 1);
    memory += plLawWork_Size(c->contacts, def->contact.sides);
    memory += materials * materials * sizeof(plSurface);
    memory += contacts * (perContact + 6 * widestOf(b) * sizeof(double));
    return 2 * (memory + (size_t)c->shapes * perElement);
}

plWorldCapacity plBuilder_Capacity(const plBuilder* b, const plWorldDef* def,
                                   const plWorldCapacity* given)
{
    plWorldCapacity c = enough(b, given);
    c.memory = motionMemory(b, &c);
    if (c.shapes > 0) c.memory = 2 * c.memory + contactMemory(b, def, &c);
    if (given->memory > 0) c.memory = given->memory;
    return c;
}
