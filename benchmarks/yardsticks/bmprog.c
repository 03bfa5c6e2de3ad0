/* BMProg: every cycle looks at every place that holds signals. A place holds a bit for each way:
 * 1 right, 2 down, 4 left, 8 up. Around the board lies an edge that swallows signals; exits are
 * not counted.
 *
 *     bmprog BOARD SIGNALS CYCLES
 *
 * BOARD has lines of letters, SIGNALS lines of `x y bits`.
 */

#include "yardstick.h"

typedef struct {
    int place;
    unsigned char bits;
} Held;

static int stride, size;
static unsigned char *letters, *bits, *coming;
static int *places, *next_places;
static Held *held, *next_held;
static int count, held_count;

static int is_one(unsigned char signals) {
    return !(signals & (signals - 1));
}

static unsigned char opposite(unsigned char way) {
    return way < 4 ? way << 2 : way >> 2;
}

/* Where signals come to in this cycle, each place once. */
static int send(int place, unsigned char signals, int coming_count) {
    const int steps[] = {1, stride, -1, -stride};
    for (int way = 0; way < 4; way++) {
        if (!(signals & 1 << way)) continue;
        int to = place + steps[way];
        if (!letters[to]) continue;
        if (!coming[to]) next_places[coming_count++] = to;
        coming[to] |= 1 << way;
    }
    return coming_count;
}

static void cycle(void) {
    int coming_count = 0, next_held_count = 0;
    for (int i = 0; i < held_count; i++)
        coming_count = send(held[i].place, held[i].bits, coming_count);
    for (int i = 0; i < count; i++) {
        int place = places[i];
        unsigned char signals = bits[place], way = 0;
        bits[place] = 0;
        switch (letters[place]) {
        case '>': way = 1; break;
        case 'v': way = 2; break;
        case '<': way = 4; break;
        case '^': way = 8; break;
        case '#': continue;
        case '*':
            signals = (signals & 10 ? 5 : 0) | (signals & 5 ? 10 : 0);
            next_held[next_held_count++] = (Held){place, signals};
            continue;
        }
        if (way) signals = is_one(signals) ? way : opposite(way);
        coming_count = send(place, signals, coming_count);
    }
    unsigned char *other_bits = bits;
    int *other_places = places;
    Held *other_held = held;
    bits = coming, coming = other_bits;
    places = next_places, next_places = other_places;
    held = next_held, next_held = other_held;
    count = coming_count, held_count = next_held_count;
}

static void load(const char *board, const char *signals) {
    Rows rows = split_rows(read_file(board), '.');
    stride = rows.width + 2;
    size = stride * (rows.height + 2);
    letters = sure(calloc(size, 1));
    bits = sure(calloc(size, 1));
    coming = sure(calloc(size, 1));
    places = sure(malloc(size * sizeof *places));
    next_places = sure(malloc(size * sizeof *places));
    held = sure(malloc(size * sizeof *held));
    next_held = sure(malloc(size * sizeof *held));
    for (int y = 0; y < rows.height; y++)
        memcpy(letters + (y + 1) * stride + 1, rows.cells + y * rows.width, rows.width);
    FILE *file = fopen(signals, "r");
    if (!file) fail("cannot read the signals");
    for (int x, y, ways; fscanf(file, "%d %d %d", &x, &y, &ways) == 3;) {
        int place = (y + 1) * stride + x + 1;
        if (!bits[place]) places[count++] = place;
        bits[place] |= ways;
    }
    fclose(file);
}

/* Signals in any order give the same sum. */
static uint32_t checksum_of(int place, unsigned char signals, const char *kind) {
    char line[64];
    int length = snprintf(line, sizeof line, "%d %d %d %s", place % stride - 1, place / stride - 1,
                          signals, kind);
    return checksum(line, length);
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage: bmprog BOARD SIGNALS CYCLES");
    load(argv[1], argv[2]);
    int64_t cycles = atoll(argv[3]);
    double began = cpu_seconds();
    for (int64_t i = 0; i < cycles; i++) cycle();
    double seconds = cpu_seconds() - began;
    uint32_t sum = 0;
    for (int i = 0; i < count; i++) sum += checksum_of(places[i], bits[places[i]], "moving");
    for (int i = 0; i < held_count; i++) sum += checksum_of(held[i].place, held[i].bits, "waiting");
    printf("{\"steps\": %lld, \"places\": %d, \"signals\": %u, \"seconds\": %.6f}\n",
           (long long)cycles, count + held_count, sum, seconds);
    return 0;
}
