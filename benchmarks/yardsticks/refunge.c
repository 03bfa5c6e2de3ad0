/* Refunge: a plain interpreter. One cursor runs in a loop of its own; several run in two phases,
 * first all act on the old field, then what they wish comes true.
 *
 *     refunge PROGRAM STEPS
 */

#include "yardstick.h"

#include <stddef.h>

enum { NONE, ADD, SUBTRACT, INPUT, OUTPUT };
static const char *MODES[] = {"none", "add", "subtract", "input", "output"};

enum { RIGHT, DOWN, LEFT, UP, STAY };
static const int DX[] = {1, 0, -1, 0}, DY[] = {0, 1, 0, -1};
static const unsigned char SLASH[] = {UP, LEFT, DOWN, RIGHT};
static const unsigned char BACKSLASH[] = {DOWN, RIGHT, UP, LEFT};
static const unsigned char FORK[][2] = {{DOWN, UP}, {LEFT, RIGHT}, {UP, DOWN}, {RIGHT, LEFT}};

typedef struct {
    int x, y, hand_x, hand_y;
    unsigned char way, mode;
} Cursor;

typedef struct {
    size_t at;
    unsigned char amount;
} Addition;

static unsigned char *field;
static int width, height, rows; /* rows: how many there is memory for */
static Bytes output;
static Cursor *cursors;
static int count, room;
static Addition *additions;
static size_t *readings;

static void reach(int row) {
    if (row < height) return;
    if (row >= rows) {
        rows = 2 * (row + 1);
        field = sure(realloc(field, (size_t)rows * width));
        memset(field + (size_t)height * width, 0, (size_t)(rows - height) * width);
    }
    height = row + 1;
}

static int wrapped(int x) {
    return x < 0 ? x + width : x >= width ? x - width : x;
}

static void step(Cursor *cursor) {
    cursor->x = wrapped(cursor->x + DX[cursor->way]);
    cursor->y += DY[cursor->way];
}

/* Where a row and a column are, and a step from there: no products on the way. */
typedef struct {
    int x, y;
    size_t at;
} Spot;

static inline void move(Spot *spot, int dx, int dy, ptrdiff_t by) {
    spot->x += dx;
    spot->y += dy;
    spot->at += by;
    if ((unsigned)spot->x >= (unsigned)width) {
        int turn = spot->x < 0 ? width : -width;
        spot->x += turn;
        spot->at += turn;
    }
}

/* Run while there is one cursor; gives the steps that are left. */
static int64_t run_one(int64_t left) {
    Cursor c = cursors[0];
    const ptrdiff_t by[] = {1, width, -1, -width};
    Spot here = {c.x, c.y, (size_t)c.y * width + c.x};
    Spot hand = {c.hand_x, c.hand_y, (size_t)c.hand_y * width + c.hand_x};
    unsigned way = c.way, mode = c.mode;
    for (; left > 0; left--) {
        unsigned to;
        switch (field[here.at]) {
        case '~': mode = NONE; break;
        case '+': mode = ADD; break;
        case '-': mode = SUBTRACT; break;
        case '?': mode = INPUT; break;
        case '!': mode = OUTPUT; break;
        case '/': way = SLASH[way]; break;
        case '\\': way = BACKSLASH[way]; break;
        case '|': way ^= 2; break;
        case '@':
            if (field[hand.at]) break;
            /* fall through */
        case '#':
            move(&here, DX[way], DY[way], by[way]);
            break;
        case 'Y': goto out;
        case '>': to = RIGHT; goto carry;
        case 'v': to = DOWN; goto carry;
        case '<': to = LEFT; goto carry;
        case '^': to = UP; goto carry;
        case 'X': to = STAY;
        carry: {
            size_t source = hand.at;
            if (mode == OUTPUT) append_byte(&output, field[source]);
            if (to != STAY) move(&hand, DX[to], DY[to], by[to]);
            if (hand.y < 0) {
                count = 0;
                return left - 1;
            }
            reach(hand.y);
            if (mode == ADD) {
                field[hand.at] += field[source];
            } else if (mode == SUBTRACT) {
                field[hand.at] -= field[source];
            } else if (mode == INPUT) {
                int byte = getchar();
                if (byte != EOF) field[hand.at] = byte;
            }
            break;
        }
        }
        move(&here, DX[way], DY[way], by[way]);
        if ((unsigned)here.y >= (unsigned)height) {
            count = 0;
            return left - 1;
        }
    }
out:
    cursors[0] = (Cursor){here.x, here.y, hand.x, hand.y, way, mode};
    return left;
}

static void make_room(void) {
    if (2 * count <= room) return;
    room = 4 * count;
    cursors = sure(realloc(cursors, room * sizeof *cursors));
    additions = sure(realloc(additions, room * sizeof *additions));
    readings = sure(realloc(readings, room * sizeof *readings));
}

/* One step of several cursors. */
static void run_many(void) {
    make_room();
    int adding = 0, reading = 0, lowest = 0, twins = count, kept = 0;
    int written = -1, differ = 0;
    for (int i = 0; i < count; i++) {
        Cursor *c = &cursors[i];
        int dx = 0, dy = 0;
        switch (field[(size_t)c->y * width + c->x]) {
        case '~': c->mode = NONE; break;
        case '+': c->mode = ADD; break;
        case '-': c->mode = SUBTRACT; break;
        case '?': c->mode = INPUT; break;
        case '!': c->mode = OUTPUT; break;
        case '/': c->way = SLASH[c->way]; break;
        case '\\': c->way = BACKSLASH[c->way]; break;
        case '|': c->way ^= 2; break;
        case '#': step(c); break;
        case '@':
            if (!field[(size_t)c->hand_y * width + c->hand_x]) step(c);
            break;
        case 'Y': {
            Cursor twin = *c;
            twin.way = FORK[c->way][1];
            c->way = FORK[c->way][0];
            step(&twin);
            cursors[twins++] = twin;
            break;
        }
        case '>': dx = 1; goto carry;
        case 'v': dy = 1; goto carry;
        case '<': dx = -1; goto carry;
        case '^': dy = -1; goto carry;
        case 'X':
        carry: {
            unsigned char source = field[(size_t)c->hand_y * width + c->hand_x];
            if (c->mode == OUTPUT) {
                differ |= written >= 0 && written != source;
                written = source;
            }
            c->hand_x = wrapped(c->hand_x + dx);
            c->hand_y += dy;
            if (c->hand_y < 0) break;
            if (c->hand_y > lowest) lowest = c->hand_y;
            size_t target = (size_t)c->hand_y * width + c->hand_x;
            if (c->mode == ADD || c->mode == SUBTRACT) {
                unsigned char amount = c->mode == ADD ? source : -source;
                additions[adding++] = (Addition){target, amount};
            } else if (c->mode == INPUT) {
                readings[reading++] = target;
            }
            break;
        }
        }
        step(c);
    }
    reach(lowest);
    for (int i = 0; i < adding; i++) field[additions[i].at] += additions[i].amount;
    if (reading) { /* a byte read replaces what was added */
        int byte = getchar();
        for (int i = 0; i < reading && byte != EOF; i++) field[readings[i]] = byte;
    }
    if (written >= 0 && !differ) append_byte(&output, written);
    for (int i = 0; i < twins; i++) {
        Cursor *c = &cursors[i];
        if (c->hand_y >= 0 && c->y >= 0 && c->y < height) cursors[kept++] = *c;
    }
    count = kept;
}

/* Cursors in any order give the same sum. */
static uint32_t checksum_of_cursors(void) {
    uint32_t sum = 0;
    for (int i = 0; i < count; i++) {
        Cursor *c = &cursors[i];
        char line[128];
        int size = snprintf(line, sizeof line, "%d %d %d %d %d %d %s", c->x, c->y, DX[c->way],
                            DY[c->way], c->hand_x, c->hand_y, MODES[c->mode]);
        sum += checksum(line, size);
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: refunge PROGRAM STEPS");
    Rows source = split_rows(read_file(argv[1]), 0);
    int64_t steps = atoll(argv[2]), left = steps;
    field = source.cells;
    width = source.width;
    height = rows = source.height;
    count = 1;
    cursors = sure(calloc(1, sizeof *cursors));
    make_room();
    cursors[0] = (Cursor){0};

    double began = cpu_seconds();
    while (left > 0 && count > 0) {
        if (count == 1) left = run_one(left);
        if (left > 0 && count > 0) {
            run_many();
            left--;
        }
    }
    double seconds = cpu_seconds() - began;
    printf("{\"steps\": %lld, \"height\": %d, \"field\": %u, \"output\": %u, \"cursors\": %u, "
           "\"seconds\": %.6f}\n",
           (long long)(steps - left), height, checksum(field, (size_t)width * height),
           checksum(output.data, output.size), checksum_of_cursors(), seconds);
    return 0;
}
