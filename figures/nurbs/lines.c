#include "nurbs/lines.h"

#include "world/world.h"

typedef struct {
    plLine* lines;
    int count, most;
} Sheet;

void plLines_Project(plVec3 p, double* x, double* y)
{
    const plVec3 right = plVec(0.94, -0.342, 0), up = plVec(0.10, 0.274, 0.9565);
    *x = 1e3 * plDot(right, p);
    *y = 1e3 * plDot(up, p);
}

static bool isSeen(const plNurbs* n, plUv at, const plFrame* f)
{
    const plVec3 towards = plVec(-0.327, -0.899, 0.292);
    return plDot(plMul(&f->R, plNurbs_Normal(n, at)), towards) > 0;
}

static void drawLine(Sheet* sheet, const plNurbs* n, const plFrame* f, plUv a, plUv b, bool isPot)
{
    plLine line = {.isPot = isPot};
    double x, y;
    if (sheet->count >= sheet->most || (isPot && !isSeen(n, a, f) && !isSeen(n, b, f))) return;
    plLines_Project(plOut(f, plNurbs_Place(n, a)), &line.x, &line.y);
    plLines_Project(plOut(f, plNurbs_Place(n, b)), &x, &y);
    line.dx = x - line.x, line.dy = y - line.y;
    sheet->lines[sheet->count++] = line;
}

/// Lines of constant u and v on every patch.
static void drawShape(Sheet* sheet, const plNurbs* n, const plFrame* f, bool isPot)
{
    const int lines = isPot ? 2 : 4, pieces = isPot ? 5 : 8;
    for (int patch = 0; patch < plNurbs_Patches(n); ++patch) {
        double u[2], v[2];
        plNurbs_Domain(n, patch, u, v);
        for (int k = 0; k < (isPot ? lines : lines + 1); ++k) {
            for (int i = 0; i < pieces; ++i) {
                const double s = k / (double)lines, t[2] = {i / (double)pieces, (i + 1.0) / pieces};
                plUv a = plUvAt(patch, u[0] + s * (u[1] - u[0]), v[0] + t[0] * (v[1] - v[0])),
                     b = a;
                b.v = v[0] + t[1] * (v[1] - v[0]);
                drawLine(sheet, n, f, a, b, isPot);
                a = plUvAt(patch, u[0] + t[0] * (u[1] - u[0]), v[0] + s * (v[1] - v[0])), b = a;
                b.u = u[0] + t[1] * (u[1] - u[0]);
                drawLine(sheet, n, f, a, b, isPot);
            }
        }
    }
}

int plLines_OfWorld(const plWorld* w, plLine* lines, int most)
{
    Sheet sheet = {.lines = lines, .most = most};
    for (int i = 0; i < plWorld_ShapeCount(w); ++i) {
        const plWorldShape s = plWorld_ShapeAt(w, i);
        plMotion m;
        if (!s.shape || s.shape->kind != pl_shapeNurbs) continue;
        plWorld_Motion(w, (plSite){.mechanism = s.site.mechanism, .part = s.site.part}, &m);
        const plFrame carrier = {m.x, m.R}, f = plShape_Frame(s.shape, &carrier);
        drawShape(&sheet, s.shape->nurbs, &f, plNurbs_Patches(s.shape->nurbs) > 1);
    }
    return sheet.count;
}
