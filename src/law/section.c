// Polygons as sections of friction cones.
#include "law/section.h"

// Where t is as seen from a side: x along its normal m, y along the side.
typedef struct {
    double m[2], x, y, cosine, sine; // of half the angle between two corners
} View;

// The side that t looks through. Any other one is no nearer: t lies between the corners' rays.
static View look(int sides, const double t[2])
{
    const double width = 2 * PL_PI / sides, turn = atan2(t[1], t[0]);
    const double side = isfinite(turn) ? floor(turn / width) : 0, middle = (side + 0.5) * width;
    View v = {
        .m = {cos(middle), sin(middle)}, .cosine = cos(0.5 * width), .sine = sin(0.5 * width)};
    v.x = v.m[0] * t[0] + v.m[1] * t[1];
    v.y = v.m[0] * t[1] - v.m[1] * t[0];
    return v;
}

double plSection_Radius(int sides, const double t[2])
{
    if (sides == 0) return sqrt(t[0] * t[0] + t[1] * t[1]);
    const View v = look(sides, t);
    return v.x / v.cosine;
}

void plSection_Project(int sides, double radius, double t[2])
{
    const View v = look(sides, t);
    if (v.x <= radius * v.cosine) return;
    const double x = radius * v.cosine, half = radius * v.sine, y = fmax(-half, fmin(half, v.y));
    t[0] = v.m[0] * x - v.m[1] * y;
    t[1] = v.m[1] * x + v.m[0] * y;
}

bool plSection_Border(int sides, double radius, const double t[2], double e[2], double* share)
{
    const View v = look(sides, t);
    const bool side = fabs(v.y) < radius * v.sine;
    const double along = side ? 0 : v.y < 0 ? -v.sine : v.sine;
    *share = side ? v.cosine : 1;
    e[0] = side ? v.m[0] : v.m[0] * v.cosine - v.m[1] * along;
    e[1] = side ? v.m[1] : v.m[1] * v.cosine + v.m[0] * along;
    return side;
}
