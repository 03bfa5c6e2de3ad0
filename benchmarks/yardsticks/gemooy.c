/* Gemooy: a plain interpreter on a flat window that grows with what is written.
 *
 *     gemooy PROGRAM STEPS
 */

#include "yardstick.h"

enum { BLANK, HASH, AT };

/* Clockwise from the north; odd ones are diagonal. */
static const int DX[] = {0, 1, 1, 1, 0, -1, -1, -1}, DY[] = {-1, -1, 0, 1, 1, 1, 0, -1};
enum { SOUTHEAST = 3 };

/* The window: its cells, and how many of each row and column are not blank. Places in here count
 * from the window's corner, which stands at (left, top) of the plane. */
static unsigned char *cells;
static int *in_row, *in_column;
static int left, top, width, height;
static int x, y, hand_x, hand_y, way = SOUTHEAST;

/* The smallest box around all cells that are not blank; empty if least is beyond most. */
static int least_x, most_x, least_y, most_y;

static void resize(int more_left, int more_top, int new_width, int new_height) {
    unsigned char *larger = sure(calloc((size_t)new_width * new_height, 1));
    int *rows = sure(calloc(new_height, sizeof *rows));
    int *columns = sure(calloc(new_width, sizeof *columns));
    for (int row = 0; row < height; row++)
        memcpy(larger + (size_t)(row + more_top) * new_width + more_left,
               cells + (size_t)row * width, width);
    if (height) memcpy(rows + more_top, in_row, height * sizeof *rows);
    if (width) memcpy(columns + more_left, in_column, width * sizeof *columns);
    free(cells);
    free(in_row);
    free(in_column);
    cells = larger;
    in_row = rows;
    in_column = columns;
    left -= more_left;
    top -= more_top;
    width = new_width;
    height = new_height;
    x += more_left;
    y += more_top;
    hand_x += more_left;
    hand_y += more_top;
    least_x += more_left;
    most_x += more_left;
    least_y += more_top;
    most_y += more_top;
}

/* Have the hand inside the window, with as much room again on the side it left by. */
static void keep_hand_inside(void) {
    if (hand_x < 0) resize(width, 0, 2 * width, height);
    if (hand_x >= width) resize(0, 0, 2 * width, height);
    if (hand_y < 0) resize(0, height, width, 2 * height);
    if (hand_y >= height) resize(0, 0, width, 2 * height);
}

static void put(int column, int row, unsigned char value) {
    unsigned char *cell = &cells[(size_t)row * width + column];
    int change = (value != BLANK) - (*cell != BLANK);
    *cell = value;
    if (!change) return;
    in_row[row] += change;
    in_column[column] += change;
    if (change > 0) {
        if (column < least_x) least_x = column;
        if (column > most_x) most_x = column;
        if (row < least_y) least_y = row;
        if (row > most_y) most_y = row;
    } else {
        while (least_x <= most_x && !in_column[least_x]) least_x++;
        while (least_x <= most_x && !in_column[most_x]) most_x--;
        while (least_y <= most_y && !in_row[least_y]) least_y++;
        while (least_y <= most_y && !in_row[most_y]) most_y--;
    }
}

/* Run to the end or for so many steps; gives those that are left. */
static int64_t run(int64_t steps_left) {
    int px = x, py = y, dx = DX[way], dy = DY[way];
    for (; steps_left > 0; steps_left--) {
        unsigned char cell = BLANK;
        if (px >= least_x && px <= most_x && py >= least_y && py <= most_y)
            cell = cells[(size_t)py * width + px];
        else if ((px < least_x && dx <= 0) || (px > most_x && dx >= 0) ||
                 (py < least_y && dy <= 0) || (py > most_y && dy >= 0) || least_x > most_x)
            break; /* beyond everything, and never coming nearer to it again */
        switch (cell) {
        case AT:
            switch (cells[(size_t)hand_y * width + hand_x]) {
            case BLANK: way = (way + 1) & 7; break;
            case HASH: way = (way - 1) & 7; break;
            }
            dx = DX[way];
            dy = DY[way];
            break;
        case HASH:
            if (way & 1) {
                int value = cells[(size_t)hand_y * width + hand_x] - dy;
                put(hand_x, hand_y, value < 0 ? 2 : value > 2 ? 0 : value);
            } else {
                hand_x += dx;
                hand_y += dy;
                x = px;
                y = py;
                keep_hand_inside();
                px = x + dx;
                py = y + dy;
            }
            break;
        }
        px += dx;
        py += dy;
    }
    x = px;
    y = py;
    return steps_left;
}

static void load(Bytes source) {
    Rows rows = split_rows(source, ' ');
    resize(0, 0, rows.width, rows.height);
    least_x = rows.width;
    least_y = rows.height;
    most_x = most_y = -1;
    for (int row = 0; row < rows.height; row++)
        for (int column = 0; column < rows.width; column++)
            switch (rows.cells[(size_t)row * rows.width + column]) {
            case '#': put(column, row, HASH); break;
            case '@': put(column, row, AT); break;
            case '$': x = column; y = row; break;
            case '%': hand_x = column; hand_y = row; break;
            }
}

static uint32_t checksum_of_cells(void) {
    Bytes lines = {0};
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            int value = cells[(size_t)row * width + column];
            if (value == BLANK) continue;
            char line[64];
            append(&lines, line,
                   snprintf(line, sizeof line, "%d %d %d\n", column + left, row + top, value));
        }
    return checksum(lines.data, lines.size);
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: gemooy PROGRAM STEPS");
    load(read_file(argv[1]));
    int64_t steps = atoll(argv[2]);
    double began = cpu_seconds();
    int64_t steps_left = run(steps);
    double seconds = cpu_seconds() - began;
    printf("{\"steps\": %lld, \"cells\": %u, \"place\": [%d, %d], \"hand\": [%d, %d], "
           "\"seconds\": %.6f}\n",
           (long long)(steps - steps_left), checksum_of_cells(), x + left, y + top, hand_x + left,
           hand_y + top, seconds);
    return 0;
}
