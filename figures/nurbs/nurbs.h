// Figures of nurbs: D. D. Nelson, E. Cohen, impacts of surfaces and mechanisms, 2001.
#ifndef PL_FIGURES_NURBS_H
#define PL_FIGURES_NURBS_H

#include "figure.h"

extern const plFigure plFigureNurbs1, plFigureNurbs2, plFigureNurbs3, plFigureNurbsPenetration,
    plFigureNurbsRest;

#endif
