// A table of what random scenes measured: worst numbers by category, and which scene they come from.
#ifndef PALP_TEST_TICK_BOARD_H
#define PALP_TEST_TICK_BOARD_H

#include "worlds.h"

#include <string.h>

static inline bool isVerbose(void) { return getenv("PALP_VERBOSE") != NULL; }

static inline void larger(double* most, double value)
{
    if (!(value <= *most)) *most = value; // a NaN too
}

/// A number that each scene has. A judged one fails the scene when it is above its limit.
typedef struct {
    const char* name;
    double limit;
    bool judged;
} Measure;

enum { mostMeasures = 8, mostCategories = 96 };

typedef struct {
    char name[48];
    int scenes, failed;
    double worst[mostMeasures];
    int at[mostMeasures];   ///< scene of the worst
    int over[mostMeasures]; ///< scenes above the limit
} Category;

/// Worst numbers of all scenes, by category.
typedef struct {
    const char* title;
    const Measure* measures;
    int measureCount, categoryCount, failed;
    Category categories[mostCategories];
} Board;

static inline Board boardOf(const char* title, const Measure* measures, int count)
{
    return (Board){.title = title, .measures = measures, .measureCount = count};
}

static inline Category* categoryOf(Board* b, const char* name)
{
    for (int i = 0; i < b->categoryCount; ++i) {
        if (!strcmp(b->categories[i].name, name)) return &b->categories[i];
    }
    assert_true(b->categoryCount < mostCategories);
    Category* c = &b->categories[b->categoryCount++];
    snprintf(c->name, sizeof c->name, "%s", name);
    for (int m = 0; m < mostMeasures; ++m) c->worst[m] = -INFINITY;
    return c;
}

static inline void printScene(const Board* b, const char* category, int scene, const double* values)
{
    print_message("%s, scene %d (%s):", b->title, scene, category);
    for (int m = 0; m < b->measureCount; ++m) {
        print_message(" %s %.3g%s", b->measures[m].name, values[m],
                      values[m] <= b->measures[m].limit ? "" : " (!)");
    }
    print_message("\n");
}

/// Enters the numbers of a scene. Returns whether it passed.
static inline bool enter(Board* b, const char* category, int scene, const double* values)
{
    Category* c = categoryOf(b, category);
    bool good = true;
    ++c->scenes;
    for (int m = 0; m < b->measureCount; ++m) {
        const bool over = !(values[m] <= b->measures[m].limit);
        c->over[m] += over;
        good = good && !(over && b->measures[m].judged);
        if (values[m] <= c->worst[m]) continue;
        c->worst[m] = values[m];
        c->at[m] = scene;
    }
    c->failed += !good;
    b->failed += !good;
    if (!good && (isVerbose() || b->failed <= 5)) printScene(b, category, scene, values);
    return good;
}

static inline void printCategory(const Board* b, const Category* c)
{
    print_message("%-28s %5d %6d ", c->name, c->scenes, c->failed);
    for (int m = 0; m < b->measureCount; ++m) {
        print_message(" %9.2g %5d %5d", c->worst[m], c->over[m], c->at[m]);
    }
    print_message("\n");
}

static inline Category sumOf(const Board* b)
{
    Category all = {.name = "all"};
    for (int m = 0; m < mostMeasures; ++m) all.worst[m] = -INFINITY;
    for (int i = 0; i < b->categoryCount; ++i) {
        const Category* c = &b->categories[i];
        all.scenes += c->scenes;
        all.failed += c->failed;
        for (int m = 0; m < b->measureCount; ++m) {
            all.over[m] += c->over[m];
            if (c->worst[m] <= all.worst[m]) continue;
            all.worst[m] = c->worst[m];
            all.at[m] = c->at[m];
        }
    }
    return all;
}

/// Prints the table: of each number the worst, the scenes above its limit, and the worst scene.
static inline void printBoard(const Board* b)
{
    const Category all = sumOf(b);
    print_message("%-28s %5s %6s ", b->title, "of", "failed");
    for (int m = 0; m < b->measureCount; ++m) {
        print_message(" %9s %5s %5s", b->measures[m].name, "over", "at");
    }
    print_message("\n%-28s %5s %6s ", "limit", "", "");
    for (int m = 0; m < b->measureCount; ++m) {
        print_message(" %9.2g %11s", b->measures[m].limit, b->measures[m].judged ? "" : "printed");
    }
    print_message("\n");
    for (int i = 0; i < b->categoryCount && isVerbose(); ++i) printCategory(b, &b->categories[i]);
    printCategory(b, &all);
}

/// The table, and the verdict.
static inline void conclude(const Board* b)
{
    printBoard(b);
    assert_int_equal(b->failed, 0);
}

#endif
