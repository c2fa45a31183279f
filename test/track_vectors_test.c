// Contact frames, K and the velocity formulation against the reference vectors and differences.
#include "tracks.h"

typedef struct {
    const plShape *f, *g;
    double qf[7], qg[7];
    plUv u[2];
} Case;

static plFrame frameOf(const double* q)
{
    return (plFrame){plGet3(q), plRotation(plQuatUnit(plGet4(q + 3)))};
}

static void numbers(const json_t* c, const char* key, double* out)
{
    const json_t* list = json_object_get(c, key);
    assert_non_null(list);
    if (!json_is_array(list)) {
        *out = json_number_value(list);
        return;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t* item = json_array_get(list, i);
        const size_t width = json_is_array(item) ? json_array_size(item) : 1;
        if (json_is_array(item))
            readNumbers(item, out + i * width);
        else
            out[i] = json_number_value(item);
    }
}

static const plShape* shapeOf(const char* name)
{
    static struct {
        char name[32];
        const plShape* shape;
    } known[16];
    for (int i = 0; i < 16; i++) {
        if (strcmp(known[i].name, name) == 0) return known[i].shape;
        if (known[i].name[0]) continue;
        snprintf(known[i].name, sizeof known[i].name, "%s", name);
        known[i].shape = loadNurbsShape(name);
        return known[i].shape;
    }
    fail();
    return NULL;
}

/// Newton in parameters, without the walk: the vectors' surfaces have one patch.
static void settle(const Case* c, double* u, int steps, plContactFrame* cf, plContactFrame* cg,
                   plContactKin* k)
{
    const plFrame ff = frameOf(c->qf), fg = frameOf(c->qg);
    for (int i = 0; i <= steps; i++) {
        contactFrame(c->f, &ff, plUvAt(0, u[0], u[1]), cf);
        contactFrame(c->g, &fg, plUvAt(0, u[2], u[3]), cg);
        plContactKin_Set(k, cf, cg);
        if (i == steps) return;
        double d[4];
        memcpy(d, k->r, sizeof d);
        assert_true(plContactKin_Solve(k, d));
        for (int j = 0; j < 4; j++) u[j] += d[j];
    }
}

/// Rates of the quaternion as an angular velocity, world: w = T G r'.               (nurbs eq. 16)
static plVec3 omega(const double* q, const double* rate)
{
    const double *e = q + 3, *r = rate + 3;
    const double n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const plVec3 own = {2 * (-e[1] * r[0] + e[0] * r[1] + e[3] * r[2] - e[2] * r[3]) / (n * n),
                        2 * (-e[2] * r[0] - e[3] * r[1] + e[0] * r[2] + e[1] * r[3]) / (n * n),
                        2 * (-e[3] * r[0] + e[2] * r[1] - e[1] * r[2] + e[0] * r[3]) / (n * n)};
    const plFrame f = frameOf(q);
    return plMul(&f.R, own);
}

/// Velocity of a body's matter at p.
static plVec3 velocityAt(const double* q, const double* rate, plVec3 p)
{
    return plAdd(plGet3(rate), plCross(omega(q, rate), plSub(p, plGet3(q))));
}

static void rates(const Case* c, const double* qfd, const double* qgd, const plContactFrame* cg,
                  const plContactKin* k, double* rhs, double* ud)
{
    const plVec3 v = plSub(velocityAt(c->qg, qgd, cg->p), velocityAt(c->qf, qfd, cg->p));
    const plVec3 w = plSub(omega(c->qg, qgd), omega(c->qf, qfd));
    plContactKin_Velocity(cg, v, w, rhs);
    memcpy(ud, rhs, 4 * sizeof *ud);
    assert_true(plContactKin_Solve(k, ud));
}

/// d beta/dq with the unit normal, and d((f - g).N)/dq, column by column.   (nurbs eq. 5)
static void gradients(const Case* c, const double* u, const plContactFrame* cf,
                      const plContactFrame* cg, const plContactKin* k, double* unit, double* plain)
{
    const plFrame ff = frameOf(c->qf);
    plSurfel s;
    plNurbs_At(c->f->nurbs, plUvAt(0, u[0], u[1]), &s);
    const plVec3 Nu = plMul(&ff.R, plAdd(plCross(s.uu, s.v), plCross(s.u, s.uv)));
    const plVec3 Nv = plMul(&ff.R, plAdd(plCross(s.uv, s.v), plCross(s.u, s.vv)));
    const double N = plNorm(plCross(s.u, s.v));
    for (int i = 0; i < 14; i++) {
        double qfd[7] = {0}, qgd[7] = {0}, rhs[4], ud[4];
        if (i < 7)
            qfd[i] = 1;
        else
            qgd[i - 7] = 1;
        rates(c, qfd, qgd, cg, k, rhs, ud);
        const plVec3 v = plSub(velocityAt(c->qf, qfd, cf->p), velocityAt(c->qg, qgd, cg->p));
        unit[i] = plDot(cf->z, v);
        const double grown = plDot(cf->z, plAdd(plScale(ud[0], Nu), plScale(ud[1], Nv)));
        plain[i] = N * unit[i] + k->beta * grown;
    }
}

static void readCase(const json_t* j, Case* c)
{
    c->f = shapeOf(json_string_value(json_object_get(j, "f")));
    c->g = shapeOf(json_string_value(json_object_get(j, "g")));
    numbers(j, "qf", c->qf);
    numbers(j, "qg", c->qg);
}

static void vectorsAreMet(void** state)
{
    (void)state;
    json_t* all = json_load_file(ownFile("nurbs/contact_vectors.json"), 0, NULL);
    assert_non_null(all);
    const size_t count = json_array_size(all);
    assert_true(count >= 40);
    double worst[9] = {0};
    for (size_t i = 0; i < count; i++) {
        const json_t* j = json_array_get(all, i);
        Case c;
        double u[4], expected[14], is[14], plain[14], unit[14], rhs[4], qfd[7], qgd[7];
        plContactFrame cf, cg;
        plContactKin k;
        readCase(j, &c);
        numbers(j, "guess", u);
        settle(&c, u, 12, &cf, &cg, &k);
        numbers(j, "u", expected);
        for (int n = 0; n < 4; n++) worst[0] = fmax(worst[0], fabs(u[n] - expected[n]));
        numbers(j, "beta", expected);
        worst[1] = fmax(worst[1], fabs(k.beta - expected[0]));
        numbers(j, "Ef", expected);
        worst[2] = fmax(worst[2], relative(&cf.E.m[0][0], expected, 4));
        numbers(j, "Eg", expected);
        worst[2] = fmax(worst[2], relative(&cg.E.m[0][0], expected, 4));
        numbers(j, "Ff", expected);
        worst[3] = fmax(worst[3], relative(&cf.F.m[0][0], expected, 4));
        numbers(j, "Fg", expected);
        worst[3] = fmax(worst[3], relative(&cg.F.m[0][0], expected, 4));
        numbers(j, "Rtheta", expected);
        worst[4] = fmax(worst[4], relative(&k.R.m[0][0], expected, 4));
        numbers(j, "qfd", qfd);
        numbers(j, "qgd", qgd);
        rates(&c, qfd, qgd, &cg, &k, rhs, is);
        numbers(j, "udot", expected);
        worst[5] = fmax(worst[5], relative(is, expected, 4));
        gradients(&c, u, &cf, &cg, &k, unit, plain);
        numbers(j, "CNunit_q", expected);
        worst[6] = fmax(worst[6], relative(unit, expected, 14));
        numbers(j, "CNq", expected);
        worst[7] = fmax(worst[7], relative(plain, expected, 14));
        numbers(j, "sigma_min", expected);
        const double sigma = fabs(plContactKin_Sigma(&k, &cf, &cg));
        worst[8] = fmax(worst[8], fabs(sigma - expected[0]) / expected[0]);
    }
    print_message(
        "%zu vectors: u %.1e, beta %.1e m, E %.1e, F %.1e, R %.1e, u' %.1e, C_q unit %.1e, "
        "C_q %.1e, sigma %.1e\n",
        count, worst[0], worst[1], worst[2], worst[3], worst[4], worst[5], worst[6], worst[7],
        worst[8]);
    // B2 of the reference.
    assert_true(worst[0] <= 1e-10);
    assert_true(worst[1] <= 1e-14);
    for (int i = 2; i < 9; i++) assert_true(worst[i] <= 1e-9);
    json_decref(all);
}

/// u' from K against differences of converged Newton, over moves of both bodies.
static void ratesAreDifferences(void** state)
{
    (void)state;
    json_t* all = json_load_file(ownFile("nurbs/contact_vectors.json"), 0, NULL);
    double worst = 0, worstBeta = 0;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t* j = json_array_get(all, i);
        Case c;
        double u[4], rhs[4], ud[4], qfd[7], qgd[7], at[4][4], beta[4];
        plContactFrame cf, cg;
        plContactKin k;
        readCase(j, &c);
        numbers(j, "u", u);
        numbers(j, "qfd", qfd);
        numbers(j, "qgd", qgd);
        settle(&c, u, 2, &cf, &cg, &k);
        rates(&c, qfd, qgd, &cg, &k, rhs, ud);
        const plVec3 v = plSub(velocityAt(c.qf, qfd, cf.p), velocityAt(c.qg, qgd, cg.p));
        // Of fourth order: the places move fast where curvatures nearly agree.
        const double h = 2e-5, places[4] = {-2 * h, -h, h, 2 * h};
        for (int side = 0; side < 4; side++) {
            Case moved = c;
            plContactFrame a, b;
            plContactKin kin;
            for (int n = 0; n < 7; n++) {
                moved.qf[n] += places[side] * qfd[n];
                moved.qg[n] += places[side] * qgd[n];
            }
            memcpy(at[side], u, sizeof u);
            settle(&moved, at[side], 8, &a, &b, &kin);
            beta[side] = kin.beta;
        }
        double fd[4];
        for (int n = 0; n < 4; n++)
            fd[n] = (at[0][n] - 8 * at[1][n] + 8 * at[2][n] - at[3][n]) / (12 * h);
        worst = fmax(worst, relative(ud, fd, 4));
        worstBeta =
            fmax(worstBeta,
                 fabs((beta[0] - 8 * beta[1] + 8 * beta[2] - beta[3]) / (12 * h) - plDot(cf.z, v)));
    }
    print_message("differences: u' %.1e, beta' %.1e m/s\n", worst, worstBeta);
    assert_true(worst <= 1e-6);
    assert_true(worstBeta <= 1e-8);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectorsAreMet),
        cmocka_unit_test(ratesAreDifferences),
    };
    return cmocka_run_group_tests(tests, nurbsesBegin, shapesEnd);
}
