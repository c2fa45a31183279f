// The answer of palp solve as a file.
//
//   palp solution 1
//   # comment lines
//   dim D contacts N bilateral B
//   contacts      per contact: its impulses, normal and tangents, then its velocities u = W p + uFree
//   bilateral     per row: its multiplier
//   end
#include "solve.h"

#include "fclib.h"

#include <string.h>

static bool endsWith(const char* text, const char* end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void writeText(const plSolution* x, FILE* out)
{
    const plSpace* s = &x->file->space;
    fprintf(out,
            "palp solution 1\n"
            "# of %s by %s: RES %.3g, natural map %.3g\n"
            "# per contact p [N s] and u [m/s], normal then tangents\n"
            "dim %d contacts %d bilateral %d\ncontacts\n",
            x->problem, x->law, x->verdict.res, x->verdict.natural, s->dim, s->count,
            x->file->bilateral.count);
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < s->dim; ++k) fprintf(out, "%.17g ", x->p[s->dim * i + k]);
        for (int k = 0; k < s->dim; ++k) {
            fprintf(out, "%.17g%c", x->u[s->dim * i + k], k + 1 < s->dim ? ' ' : '\n');
        }
    }
    fprintf(out, "bilateral\n");
    for (int i = 0; i < x->file->bilateral.count; ++i) fprintf(out, "%.17g\n", x->l[i]);
    fprintf(out, "end\n");
}

bool plSolution_Save(const plSolution* x, const char* path)
{
    if (endsWith(path, ".h5") || endsWith(path, ".hdf5")) {
        return plFclib_SaveSolution(path, x->p, x->u, plSpace_Rows(&x->file->space), x->l,
                                    x->file->bilateral.count);
    }
    FILE* out = fopen(path, "w");
    if (!out) return false;
    writeText(x, out);
    const bool failed = ferror(out) != 0;
    return fclose(out) == 0 && !failed;
}
