// Drawings in oblique view.
#include "pmi/paper.h"

static const double side = 0.55, above = 0.5; // of the view [rad]

static plVec3 onPaper(plVec3 p)
{
    const double away = -sin(side) * p.x + cos(side) * p.y;
    return plVec(cos(side) * p.x + sin(side) * p.y, cos(above) * p.z + sin(above) * away, 0);
}

bool plLines_Add(plFigureJob* job, const char* name, int count, plSlots slots, plLines* lines)
{
    *lines = (plLines){plFigureJob_Column(job, count, "%s x", name),
                       plFigureJob_Column(job, count, "%s y", name),
                       plFigureJob_Column(job, count, "%s dx", name),
                       plFigureJob_Column(job, count, "%s dy", name),
                       0,
                       count,
                       slots};
    return lines->x && lines->y && lines->dx && lines->dy;
}

void plLines_Draw(plLines* lines, int shot, plVec3 from, plVec3 to)
{
    const plVec3 a = onPaper(from), b = onPaper(to);
    const plSlots* s = &lines->slots;
    const int i = lines->row++;
    if (i >= lines->count) return;
    lines->x[i] = a.x + s->across * (shot % s->perRow);
    lines->y[i] = a.y - s->down * (shot / s->perRow);
    lines->dx[i] = b.x - a.x, lines->dy[i] = b.y - a.y;
}

bool plLines_Label(plFigureJob* job, const double* times, int count, plSlots s, double x, double y)
{
    double* at = plFigureJob_Column(job, count, "shot");
    double* atX = plFigureJob_Column(job, count, "shot x");
    double* atY = plFigureJob_Column(job, count, "shot y");
    if (!at || !atX || !atY) return false;
    for (int i = 0; i < count; ++i) {
        at[i] = times[i];
        atX[i] = x + s.across * (i % s.perRow), atY[i] = y - s.down * (i / s.perRow);
    }
    return true;
}
