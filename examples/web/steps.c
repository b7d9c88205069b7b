/*
steps.c - an update as it happens: a few boxes in a world with SAP_METHOD_SORT, and every step of its insertion sort

It has its own copy of sap.h: SAP_TRACE makes SAP_METHOD_AUTO sort, which would slow the other worlds of the page.
*/
#include <stdint.h>

static void steps_note(int step, int axis, uint32_t id0, uint32_t id1);
#define SAP_TRACE(step, axis, id0, id1) steps_note((int)(step), (int)(axis), id0, id1)
#define SAP_STATIC
#define SAP_IMPLEMENTATION
#include "sap.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

enum { MOST_BOXES = 12, MOST_STEPS = 4096, MOST_EVENTS = MOST_BOXES * MOST_BOXES };

typedef struct step {
    int32_t kind, axis, box0, box1; /* SAP_STEP_*, the axis, and boxes from 0 */
} step;

static sap_world *steps_world;
static sap_aabb steps_boxes[MOST_BOXES];
static sap_id steps_ids[MOST_BOXES];
static int steps_n, step_count;
static step steps[MOST_STEPS];
static int32_t events[2 * MOST_EVENTS];

static int32_t box_of(sap_id id) {
    return (int32_t)SAP_SLOT(id) - 1;
}

static void steps_note(int kind, int axis, uint32_t id0, uint32_t id1) {
    if (step_count < MOST_STEPS) steps[step_count++] = (step){kind, axis, box_of(id0), box_of(id1)};
}

/* The page puts its boxes here, before steps_setup and steps_update: at most twelve. */
WEB_EXPORT(steps_boxes_at) sap_aabb *steps_boxes_at(void) {
    return steps_boxes;
}

/* Makes a world of the first n boxes, and updates it. Returns 0 without memory. */
WEB_EXPORT(steps_setup) int steps_setup(int n) {
    const sap_config flat = {.axes = SAP_2D, .method = SAP_METHOD_SORT};
    sap_destroy(steps_world);
    steps_world = sap_create(&flat);
    steps_n = n < MOST_BOXES ? n : MOST_BOXES;
    return steps_world && sap_add_many(steps_world, steps_n, steps_boxes, NULL, steps_ids) == SAP_OK &&
           sap_update(steps_world) == SAP_OK;
}

/* Moves all boxes of the world to those of the page, and updates. Returns the number of steps. */
WEB_EXPORT(steps_update) int steps_update(void) {
    step_count = 0;
    sap_move_many(steps_world, steps_n, steps_ids, steps_boxes);
    sap_update(steps_world);
    return step_count;
}

WEB_EXPORT(steps_at) step *steps_at(void) {
    return steps;
}

/* Lists pairs that began (0), ended (1) or are active (2) at steps_events_at, two boxes each. Returns their number. */
WEB_EXPORT(steps_events) int steps_events(int kind) {
    int n;
    const sap_pair *pair = kind == 0   ? sap_created(steps_world, &n)
                           : kind == 1 ? sap_deleted(steps_world, &n)
                                       : sap_pairs(steps_world, &n);
    for (int i = 0; i < n; i++) {
        events[2 * i] = box_of(pair[i].id0);
        events[2 * i + 1] = box_of(pair[i].id1);
    }
    return n;
}

WEB_EXPORT(steps_events_at) int32_t *steps_events_at(void) {
    return events;
}
