// The rigid scenes in MuJoCo: Newton, elliptic cones, the stiffness of friction raised where
// something is held by it (impratio 100), which costs Newton nothing and stops the peg.
#include "rigid.h"

#include "math/math.h"

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    mjModel* model;
    mjData* data;
    int count, id[rigidMost];
} World;

typedef struct {
    char* text;
    size_t used, capacity;
} Text;

static void put(Text* t, const char* format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(t->text + t->used, t->capacity - t->used, format, list);
    va_end(list);
    t->used += (size_t)n;
    if (n < 0 || t->used >= t->capacity) exit(1);
}

static void putJoint(Text* t, const RigidBody* b, int i)
{
    const plMat3 R = plRotation(b->pose.q);
    const plVec3 at = plMulT(&R, plSub(b->anchor, b->pose.p)), axis = plMulT(&R, b->axis);
    if (b->joint == rigidFree) put(t, "<freejoint/>\n");
    if (b->joint == rigidHinge) {
        put(t, "<joint name='j%d' type='hinge' pos='%.17g %.17g %.17g' axis='%.17g %.17g %.17g' ",
            i, at.x, at.y, at.z, axis.x, axis.y, axis.z);
        put(t, "damping='%g'/>\n", b->damping);
    }
    if (b->joint == rigidBall) {
        put(t,
            "<joint name='j%d' type='ball' pos='%.17g %.17g %.17g' damping='%g' stiffness='%g'/>",
            i, at.x, at.y, at.z, b->damping, b->stiffness);
    }
}

// A body and all that hang on it. Its capsules are along x, MuJoCo's along z.
static void putBody(Text* t, const RigidScene* s, int i)
{
    const RigidBody* b = &s->bodies[i];
    const plPose ground = {.q.w = 1};
    const plPose parent = b->parent < 0 ? ground : s->bodies[b->parent].pose;
    const plMat3 R = plRotation(parent.q);
    const plVec3 p = plMulT(&R, plSub(b->pose.p, parent.p));
    const plQuat q = plQuatMul(plQuatConj(parent.q), b->pose.q);
    put(t, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n", i, p.x,
        p.y, p.z, q.w, q.x, q.y, q.z);
    putJoint(t, b, i);
    if (b->form == rigidBox) {
        put(t, "<geom type='box' size='%.17g %.17g %.17g' mass='%.17g'/>\n", b->half.x, b->half.y,
            b->half.z, b->mass);
    } else {
        put(t, "<geom type='capsule' size='%.17g %.17g' quat='1 0 1 0' mass='%.17g'/>\n", b->radius,
            b->half.x, b->mass);
    }
    for (int k = i + 1; k < s->count; ++k) {
        if (s->bodies[k].parent == i) putBody(t, s, k);
    }
    put(t, "</body>\n");
}

static void putScene(Text* t, const RigidScene* s)
{
    const int contacts = 8 * s->count + 100;
    put(t,
        "<mujoco><compiler angle='radian'/><option timestep='0.001' solver='Newton' "
        "cone='elliptic' iterations='100' impratio='%d' gravity='0 0 -9.81'/>\n",
        s->grasp ? 100 : 1);
    put(t, "<size nconmax='%d' njmax='%d' nstack='100000000'/>\n", contacts, 4 * contacts);
    put(t, "<default><geom friction='%g 0.005 0.0001' condim='3'/></default>\n<worldbody>\n",
        s->friction);
    put(t, "<geom type='plane' size='10 10 1'/>\n");
    for (int i = 0; i < s->count; ++i) {
        if (s->bodies[i].parent < 0) putBody(t, s, i);
    }
    put(t, "</worldbody></mujoco>\n");
}

static mjModel* load(const Text* t)
{
    static mjVFS files;
    char error[1024] = "";
    mj_defaultVFS(&files);
    if (mj_makeEmptyFileVFS(&files, "scene.xml", (int)t->used) != 0) exit(1);
    memcpy(files.filedata[mj_findFileVFS(&files, "scene.xml")], t->text, t->used);
    mjModel* model = mj_loadXML("scene.xml", &files, error, sizeof error);
    mj_deleteVFS(&files);
    if (model) return model;
    fprintf(stderr, "bench: MuJoCo: %s\n", error);
    exit(1);
}

static void setTorque(World* w, const RigidBody* b, int i)
{
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    const int joint = mj_name2id(w->model, mjOBJ_JOINT, name);
    if (joint < 0) return;
    mjtNum* force = &w->data->qfrc_applied[w->model->jnt_dofadr[joint]];
    const plMat3 R = plRotation(b->pose.q);
    if (b->joint == rigidHinge) *force = b->torque;
    if (b->joint == rigidBall) plPut3(plScale(b->torque, plMulT(&R, b->axis)), force);
}

static void* create(const RigidScene* s)
{
    Text t = {.capacity = 1 << 20};
    World* w = calloc(1, sizeof *w);
    t.text = malloc(t.capacity);
    if (!w || !t.text) exit(1);
    putScene(&t, s);
    w->model = load(&t);
    free(t.text);
    w->data = mj_makeData(w->model);
    w->count = s->count;
    for (int i = 0; i < s->count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        w->id[i] = mj_name2id(w->model, mjOBJ_BODY, name);
        setTorque(w, &s->bodies[i], i);
    }
    return w;
}

static void step(void* self)
{
    World* w = self;
    mj_step(w->model, w->data);
}

static void poses(void* self, plPose* out)
{
    World* w = self;
    mj_kinematics(w->model, w->data);
    for (int i = 0; i < w->count; ++i) {
        out[i] =
            (plPose){plGet3(&w->data->xpos[3 * w->id[i]]), plGet4(&w->data->xquat[4 * w->id[i]])};
    }
}

static int contacts(void* self) { return ((World*)self)->data->ncon; }

static double depth(void* self)
{
    const World* w = self;
    double most = 0;
    for (int i = 0; i < w->data->ncon; ++i) most = fmax(most, -w->data->contact[i].dist);
    return most;
}

static void destroy(void* self)
{
    World* w = self;
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    free(w);
}

const RigidEngine* rigidMuJoCo(void)
{
    static const RigidEngine engine = {create, step, poses, contacts, depth, NULL, destroy};
    return &engine;
}
