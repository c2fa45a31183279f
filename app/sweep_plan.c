// The runs of a sweep: what varies, what is asked of each, and the scene of one.
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "base/base.h"

#include <jansson.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------------- axes

static int badAxis(const char* text)
{
    char plain[200];
    snprintf(plain, sizeof plain, "%.199s", text);
    for (char* at = plain; *at; ++at) {
        if ((unsigned char)*at < ' ') *at = '?'; // a complaint is one line
    }
    return plComplain(pl_exitInput,
                      "--vary takes PATH=FROM:TO:COUNT, with :log behind it for equal ratios, or "
                      "PATH=VALUE,VALUE,..., found \"%s\"",
                      plain);
}

/// Length of the value at `text`: up to a comma that is in no brackets and no quotes.
static size_t valueLength(const char* text)
{
    int depth = 0;
    bool quoted = false;
    const char* at = text;
    for (; *at && (*at != ',' || depth > 0 || quoted); ++at) {
        if (quoted && *at == '\\' && at[1]) {
            ++at;
            continue;
        }
        if (*at == '"') quoted = !quoted;
        if (!quoted) depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    }
    return (size_t)(at - text);
}

static bool isNumber(const char* text, double* value)
{
    char* end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static int takeList(plSweepAxis* axis, const char* text, const char* whole)
{
    int count = 1;
    double number;
    for (const char* at = text + valueLength(text); *at; at += 1 + valueLength(at + 1)) ++count;
    if (count > plSweepMostRuns) return plComplain(pl_exitInput, "--vary takes fewer values");
    axis->values = calloc((size_t)count, sizeof *axis->values);
    if (!axis->values) return plComplain(pl_exitInput, "no memory");
    for (const char* at = text; axis->count < count; ++at) {
        const size_t length = valueLength(at);
        if (length == 0) return badAxis(whole);
        char* value = strndup(at, length);
        if (!value) return plComplain(pl_exitInput, "no memory");
        axis->values[axis->count++] = value;
        axis->isText = axis->isText || !isNumber(value, &number);
        at += length;
    }
    return pl_exitOk;
}

/// FROM:TO[:COUNT][:log]; samples need no count.
static int takeRange(plSweepAxis* axis, const char* text, const char* whole, bool isRandom)
{
    char* end;
    axis->from = strtod(text, &end);
    if (*end != ':') return badAxis(whole);
    text = end + 1;
    axis->to = strtod(text, &end);
    if (end == text || !isfinite(axis->from) || !isfinite(axis->to)) return badAxis(whole);
    axis->count = 1;
    if (*end == ':' && isdigit((unsigned char)end[1])) {
        const long count = strtol(end + 1, &end, 10);
        if (count < 1 || count > plSweepMostRuns) return badAxis(whole);
        axis->count = (int)count;
    } else if (!isRandom) {
        return badAxis(whole);
    }
    axis->isLog = strcmp(end, ":log") == 0;
    if (*end != '\0' && !axis->isLog) return badAxis(whole);
    if (axis->isLog && (axis->from <= 0 || axis->to <= 0))
        return plComplain(pl_exitInput, "--vary %.*s: equal ratios need ends above 0",
                          (int)strcspn(whole, "="), whole);
    return pl_exitOk;
}

static bool isPath(const char* text, size_t length)
{
    if (length == 0 || length >= plChannelNameSize) return false;
    for (size_t i = 0; i < length; ++i) {
        if (!isgraph((unsigned char)text[i]) || strchr(",\"'/#", text[i])) return false;
    }
    return true;
}

/// No control characters: a row is a line.
static bool isLine(const char* text)
{
    while ((unsigned char)*text >= ' ') ++text;
    return *text == '\0';
}

static int addAxis(plSweepPlan* p, const char* text)
{
    const size_t length = strcspn(text, "=");
    const char* value = text + length + 1;
    char* end;
    if (text[length] != '=' || !isPath(text, length) || !isLine(text)) return badAxis(text);
    if (p->axisCount == plSweepAxes)
        return plComplain(pl_exitInput, "a sweep takes at most %d --vary", plSweepAxes);
    plSweepAxis* axis = &p->axes[p->axisCount++];
    memcpy(axis->path, text, length);
    for (int i = 0; i < p->axisCount - 1; ++i) {
        if (strcmp(p->axes[i].path, axis->path) == 0)
            return plComplain(pl_exitInput, "%s varies twice", axis->path);
    }
    strtod(value, &end);
    const bool isRange = end != value && *end == ':' && value[valueLength(value)] == '\0';
    return isRange ? takeRange(axis, value, text, p->isRandom) : takeList(axis, value, text);
}

// ------------------------------------------------------------------------------------ metrics

static const struct {
    const char* prefix;
    plSweepKind kind;
} reducers[] = {
    {"end:", pl_sweepEnd},   {"max:", pl_sweepMax}, {"min:", pl_sweepMin},
    {"mean:", pl_sweepMean}, {"rms:", pl_sweepRms},
};

static int addMetric(plSweepPlan* p, const char* text, size_t length)
{
    char name[sizeof p->metrics[0].name];
    if (length == 0 || length >= sizeof name)
        return plComplain(pl_exitInput,
                          "--metric takes names with commas between, found \"%.200s\"", text);
    memcpy(name, text, length);
    name[length] = '\0';
    if (strcmp(name, "hash") == 0) return pl_exitOk; // of every run, anyway
    for (int i = 0; i < p->metricCount; ++i) {
        if (strcmp(p->metrics[i].name, name) == 0)
            return plComplain(pl_exitInput, "--metric %s is given twice", name);
    }
    if (p->metricCount == plSweepMetrics)
        return plComplain(pl_exitInput, "a sweep takes at most %d metrics", plSweepMetrics);
    plSweepMetric* m = &p->metrics[p->metricCount++];
    const char* channel = name;
    memcpy(m->name, name, sizeof name);
    m->kind = strcmp(name, "created") == 0 ? pl_sweepCreated
              : strcmp(name, "wall") == 0  ? pl_sweepWall
                                           : pl_sweepEnd;
    if (m->kind != pl_sweepEnd) return pl_exitOk;
    for (int i = 0; i < PL_COUNT(reducers); ++i) {
        const size_t size = strlen(reducers[i].prefix);
        if (strncmp(name, reducers[i].prefix, size) != 0) continue;
        m->kind = reducers[i].kind;
        channel = name + size;
    }
    if (!*channel || strlen(channel) >= sizeof m->channel)
        return plComplain(pl_exitInput, "--metric %s names no channel", name);
    memcpy(m->channel, channel, strlen(channel) + 1);
    return pl_exitOk;
}

static int addMetrics(plSweepPlan* p, const char* text)
{
    int code = pl_exitOk;
    for (const char* at = text; code == pl_exitOk; ++at) {
        const size_t length = strcspn(at, ",");
        code = addMetric(p, at, length);
        at += length;
        if (*at == '\0') break;
    }
    return code;
}

// ---------------------------------------------------------------------------------- how many

/// A whole number of an option. False: complained.
static bool readWhole(const plArguments* a, const char* option, uint64_t least, uint64_t most,
                      uint64_t* value)
{
    const char* text = plArguments_Value(a, option);
    char* end;
    if (!text) return true;
    errno = 0;
    const unsigned long long x = strtoull(text, &end, 10);
    if (isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && x >= least && x <= most) {
        *value = x;
        return true;
    }
    plComplain(pl_exitInput, "%s takes a whole number, %llu to %llu, found \"%s\"", option,
               (unsigned long long)least, (unsigned long long)most, text);
    return false;
}

static int countRuns(plSweepPlan* p, const plArguments* a)
{
    uint64_t runs = 1;
    p->seed = 1;
    if (!p->isRandom && plArguments_Has(a, "--seed"))
        return plComplain(pl_exitInput, "--seed needs --runs N");
    if (!readWhole(a, "--runs", 1, plSweepMostRuns, &runs) ||
        !readWhole(a, "--seed", 0, UINT64_MAX, &p->seed))
        return pl_exitInput;
    for (int i = 0; !p->isRandom && i < p->axisCount; ++i) {
        runs *= (uint64_t)p->axes[i].count;
        if (runs > plSweepMostRuns)
            return plComplain(pl_exitInput, "the grid has more than %d runs", plSweepMostRuns);
    }
    p->runs = (int)runs;
    return pl_exitOk;
}

// ------------------------------------------------------------------------------------ one run

/// The shortest text that is read back as the same number.
static void writeNumber(double x, char text[plSweepNumber])
{
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, plSweepNumber, "%.*g", digits, x);
        if (strtod(text, NULL) == x) return;
    }
}

/// Along the grid the first axis is the slowest.
static int placeOnGrid(const plSweepPlan* p, int run, int axis)
{
    for (int i = p->axisCount - 1; i > axis; --i) run /= p->axes[i].count;
    return run % p->axes[axis].count;
}

/// In [0, 1), by seed, run and axis alone, so that runs can be made in any order.
static double drawn(const plSweepPlan* p, int run, int axis)
{
    const uint64_t key[] = {p->seed, (uint64_t)run, (uint64_t)axis};
    plRng rng = plRng_Seed(plHash_Add(plHash_Start(), key, sizeof key));
    return plRng_Uniform(&rng, 0, 1);
}

static double between(const plSweepAxis* axis, double share)
{
    if (share == 0) return axis->from;
    if (share == 1) return axis->to; // exactly
    if (axis->isLog) return axis->from * pow(axis->to / axis->from, share);
    return axis->from + share * (axis->to - axis->from);
}

const char* plSweepPlan_Value(const plSweepPlan* p, int run, int at, char text[plSweepNumber])
{
    const plSweepAxis* axis = &p->axes[at];
    if (axis->values)
        return axis->values[p->isRandom ? (int)(drawn(p, run, at) * axis->count)
                                        : placeOnGrid(p, run, at)];
    const double share = p->isRandom        ? drawn(p, run, at)
                         : axis->count == 1 ? 0
                                            : (double)placeOnGrid(p, run, at) / (axis->count - 1);
    writeNumber(between(axis, share), text);
    return text;
}

/// Settings of one run, owned.
typedef struct {
    int count;
    char** texts;
} Settings;

static bool add(Settings* s, const char* path, const char* value)
{
    const size_t size = strlen(path) + strlen(value) + 2;
    char* text = malloc(size);
    if (!text) return false;
    snprintf(text, size, "%s=%s", path, value);
    s->texts[s->count++] = text;
    return true;
}

/// A rate is one over the step; a scene that names its own wants the two to agree.
static bool addRate(Settings* s, const plSweepPlan* p, const char* value, char* message,
                    size_t size)
{
    char step[plSweepNumber];
    double rate;
    if (!isNumber(value, &rate) || !(rate > 0)) {
        snprintf(message, size, "rate takes a number above 0 [Hz], found \"%.60s\"", value);
        return false;
    }
    writeNumber(1 / rate, step);
    return add(s, "step", step) && (!p->hasRate || add(s, "rate", value));
}

/// Of the scene, and of all mechanisms that name their own.
static bool addIntegrator(Settings* s, const plSweepPlan* p, const char* value)
{
    bool good = add(s, "integrator", value);
    for (int i = 0; good && i < p->ownCount; ++i) {
        char path[48];
        snprintf(path, sizeof path, "mechanisms[%d].integrator", p->own[i]);
        good = add(s, path, value);
    }
    return good;
}

static bool addAll(Settings* s, const plSweepPlan* p, int run, char* message, size_t size)
{
    bool good = true;
    for (int i = 0; good && i < p->axisCount; ++i) {
        char text[plSweepNumber];
        const char *path = p->axes[i].path, *value = plSweepPlan_Value(p, run, i, text);
        good = strcmp(path, "rate") == 0         ? addRate(s, p, value, message, size)
               : strcmp(path, "integrator") == 0 ? addIntegrator(s, p, value)
                                                 : add(s, path, value);
    }
    return good;
}

bool plSweepPlan_Load(const plSweepPlan* p, int run, plScene** scene, char* message, size_t size)
{
    const size_t most = 2 * plSweepAxes + (size_t)p->ownCount;
    Settings s = {.texts = calloc(most, sizeof *s.texts)};
    plSceneError error;
    bool good = false;
    *scene = NULL;
    snprintf(message, size, "no memory");
    if (s.texts && addAll(&s, p, run, message, size)) {
        good = plScene_Parse("scene", p->text, strlen(p->text), (const char* const*)s.texts,
                             s.count, scene, &error) == pl_statusOk;
        if (!good) snprintf(message, size, "%s", error.message);
    }
    for (int i = 0; i < s.count; ++i) free(s.texts[i]);
    free(s.texts);
    return good;
}

// --------------------------------------------------------------------------------- the whole

static bool readScene(plSweepPlan* p, const plScene* scene)
{
    const json_t* mechanism;
    size_t i;
    p->text = strdup(plScene_Text(scene));
    json_t* root = json_loads(plScene_Text(scene), 0, NULL);
    const json_t* mechanisms = json_object_get(root, "mechanisms");
    p->own = calloc(json_array_size(mechanisms) + 1, sizeof *p->own);
    p->hasRate = json_object_get(root, "rate") != NULL;
    if (p->own) {
        json_array_foreach(mechanisms, i, mechanism)
        {
            if (json_object_get(mechanism, "integrator")) p->own[p->ownCount++] = (int)i;
        }
    }
    const bool good = root && p->text && p->own;
    json_decref(root);
    return good;
}

static uint64_t addText(uint64_t hash, const char* text)
{
    return plHash_Add(hash, text, strlen(text) + 1);
}

static uint64_t digestOf(const plSweepPlan* p, const plArguments* a)
{
    const uint64_t numbers[] = {(uint64_t)p->runs, p->isRandom, p->seed};
    uint64_t hash = plHash_Add(plHash_Start(), numbers, sizeof numbers);
    hash = addText(addText(hash, plVersion()), p->text);
    for (int i = 0; i < a->givenCount; ++i) {
        if (strcmp(a->given[i].option->name, "--vary") == 0)
            hash = addText(hash, a->given[i].value);
    }
    for (int i = 0; i < p->metricCount; ++i) hash = addText(hash, p->metrics[i].name);
    return hash;
}

/// Whether the channels are there, in the world of a run.
static int checkMetrics(const plSweepPlan* p, const plOpened* opened)
{
    int code = pl_exitOk;
    for (int i = 0; code == pl_exitOk && i < p->metricCount; ++i) {
        plChannelList list;
        if (p->metrics[i].channel[0] == '\0') continue;
        code = plChannelList_Make(&list, opened, p->metrics[i].channel);
        plChannelList_Free(&list);
    }
    return code;
}

/// A value that a scene refuses makes a row. When no run can be made at all, it is the path that is
/// wrong, and that is said at once: by some runs, evenly over all.
static int checkRuns(const plSweepPlan* p)
{
    enum { most = 64 };
    const int count = p->runs < most ? p->runs : most;
    char message[plSweepMessage], first[plSweepMessage] = "";
    for (int i = 0; i < count; ++i) {
        plOpened opened = {0};
        plSceneError error;
        const int run = (int)((int64_t)i * p->runs / count);
        bool good = plSweepPlan_Load(p, run, &opened.scene, message, sizeof message);
        if (good && plScene_CreateWorld(opened.scene, &opened.world, &error) != pl_statusOk) {
            opened.world = NULL;
            good = false;
            snprintf(message, sizeof message, "%s", error.message);
        }
        const int code = good ? checkMetrics(p, &opened) : pl_exitOk;
        plClose(&opened);
        if (good) return code;
        if (i == 0) memcpy(first, message, sizeof first);
    }
    return plComplain(pl_exitInput, "no run can be made: %s", first);
}

int plSweepPlan_Make(plSweepPlan* p, const plArguments* a, const plOpened* opened)
{
    int code = pl_exitOk;
    *p = (plSweepPlan){.isRandom = plArguments_Has(a, "--runs")};
    for (int i = 0; code == pl_exitOk && i < a->givenCount; ++i) {
        const char *option = a->given[i].option->name, *value = a->given[i].value;
        if (strcmp(option, "--vary") == 0) code = addAxis(p, value);
        if (strcmp(option, "--metric") == 0) code = addMetrics(p, value);
    }
    if (code == pl_exitOk && p->axisCount == 0)
        code =
            plComplain(pl_exitInput, "a sweep needs --vary PATH=FROM:TO:COUNT or PATH=VALUE,...");
    if (code == pl_exitOk) code = countRuns(p, a);
    if (code != pl_exitOk) return code;
    if (!readScene(p, opened->scene)) return plComplain(pl_exitInput, "no memory");
    p->digest = digestOf(p, a);
    return checkRuns(p);
}

void plSweepPlan_Free(plSweepPlan* p)
{
    for (int i = 0; i < p->axisCount; ++i) {
        for (int k = 0; p->axes[i].values && k < p->axes[i].count; ++k) free(p->axes[i].values[k]);
        free(p->axes[i].values);
    }
    free(p->own);
    free(p->text);
    *p = (plSweepPlan){0};
}
