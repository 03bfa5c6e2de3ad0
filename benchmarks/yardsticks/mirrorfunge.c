/* Mirrorfunge: a plain interpreter on a stack of 64-bit numbers, or of 128 bits if WIDE is defined.
 * It gives up where one overflows, and at `?`, whose numbers come from planewalk's own generator.
 *
 *     mirrorfunge PROGRAM STEPS < INPUT
 */

#include <ctype.h>

#include "yardstick.h"

#ifdef WIDE
typedef __int128 Number;
typedef unsigned __int128 Amount;
#else
typedef int64_t Number;
typedef uint64_t Amount;
#endif
static const Number LEAST = (Number)((Amount)1 << (8 * sizeof(Number) - 1));

enum { RIGHT, DOWN, LEFT, UP };
static const int DX[] = {1, 0, -1, 0}, DY[] = {0, 1, 0, -1};
static const unsigned char SLASH[] = {UP, LEFT, DOWN, RIGHT};
static const unsigned char BACKSLASH[] = {DOWN, RIGHT, UP, LEFT};

static Rows plane;
static int final_x, final_y;
static Number *stack, *end, *free_place; /* numbers stand from `stack` up to `free_place` */
static Bytes output;

/* A stack twice as large; gives its first free place. */
static Number *grown(Number *sp) {
    size_t depth = sp - stack, room = depth ? 2 * depth : 256;
    stack = sure(realloc(stack, room * sizeof *stack));
    end = stack + room;
    return stack + depth;
}

static void check(int overflow) {
    if (overflow) fail("a number is too long");
}

/* Read a number into the place; says whether there was any input left. */
static int read_number(Number *number) {
    int byte = getchar(), negative = 0;
    while (byte != EOF && isspace(byte)) byte = getchar();
    if (byte == EOF) return 0;
    for (; byte == '+' || byte == '-'; byte = getchar()) negative ^= byte == '-';
    *number = 0;
    for (; byte >= '0' && byte <= '9'; byte = getchar())
        check(__builtin_mul_overflow(*number, 10, number) ||
              __builtin_add_overflow(*number, byte - '0', number));
    if (byte != EOF) ungetc(byte, stdin);
    if (negative) *number = -*number;
    return 1;
}

static void write_character(Number code) {
    if (code < 256 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) {
        append_byte(&output, code);
        return;
    }
    if (code < 0x800) {
        append_byte(&output, 0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            append_byte(&output, 0xE0 | code >> 12);
        } else {
            append_byte(&output, 0xF0 | code >> 18);
            append_byte(&output, 0x80 | (code >> 12 & 63));
        }
        append_byte(&output, 0x80 | (code >> 6 & 63));
    }
    append_byte(&output, 0x80 | (code & 63));
}

static void write_number(Bytes *bytes, Number number) {
    char text[48], *first = text + sizeof text;
    Amount left = number < 0 ? -(Amount)number : (Amount)number;
    do *--first = '0' + (int)(left % 10);
    while (left /= 10);
    if (number < 0) *--first = '-';
    append(bytes, first, text + sizeof text - first);
}

static void write_stack(const Number *sp) {
    append_byte(&output, '[');
    for (const Number *value = stack; value < sp; value++) {
        if (value > stack) append(&output, ", ", 2);
        write_number(&output, *value);
    }
    append(&output, "]\n", 2);
}

/* Run to the end or for so many steps; gives those that are left. */
static int64_t run(int64_t left) {
    Number *sp = grown(stack);
    int x = 0, y = 0, way = RIGHT, dx = 1, dy = 0, points, in_string = 0;
    const int last_x = plane.width - 1, last_y = plane.height - 1;

#define HAS(n) (sp - stack >= (n))
#define PUSH(value)                      \
    do {                                 \
        Number pushed = (value);         \
        if (sp == end) sp = grown(sp);   \
        *sp++ = pushed;                  \
    } while (0)
#define TURN(new_way) (way = (new_way), dx = DX[way], dy = DY[way])
#define MOVE()                                                  \
    do {                                                        \
        x += dx;                                                \
        y += dy;                                                \
        x = x < 0 ? last_x : x > last_x ? 0 : x;                \
        y = y < 0 ? last_y : y > last_y ? 0 : y;                \
    } while (0)

    for (; left > 0; left--) {
        unsigned char code = plane.cells[(size_t)y * plane.width + x];
        if (in_string && code != '"') {
            PUSH(code);
            MOVE();
            continue;
        }
        switch (code) {
        case '/': TURN(SLASH[way]); break;
        case '\\': TURN(BACKSLASH[way]); break;
        case 'x': TURN(way ^ 2); break;
        case '>': points = RIGHT; goto arrow;
        case 'v': points = DOWN; goto arrow;
        case '<': points = LEFT; goto arrow;
        case '^': points = UP;
        arrow:
            if (way == points) {
                TURN(way ^ 2);
            } else if (way != (points ^ 2)) {
                TURN(points);
            } else {
                int zero = !HAS(1) || *--sp == 0;
                TURN(points & 1 ? (zero ? RIGHT : LEFT) : (zero ? DOWN : UP));
            }
            break;
        case '#': MOVE(); break;
        case '@': left--; goto done;
        case '&': {
            Number number;
            if (read_number(&number)) PUSH(number);
            else TURN(way ^ 2);
            break;
        }
        case '~': PUSH(getchar()); break; /* EOF is -1 */
        case '=': write_stack(sp); break;
        case ',':
            if (HAS(1)) write_character(*--sp);
            break;
        case '.':
            if (HAS(1)) write_number(&output, *--sp);
            break;
        case '"': in_string = !in_string; break;
        case '0': case '1': case '2': case '3': case '4':
        case '5': case '6': case '7': case '8': case '9': PUSH(code - '0'); break;
        case 'a': case 'b': case 'c': case 'd': case 'e': case 'f': PUSH(code - 'a' + 10); break;
        case ')':
            if (HAS(1)) check(__builtin_add_overflow(sp[-1], 1, &sp[-1]));
            break;
        case '(':
            if (HAS(1)) check(__builtin_sub_overflow(sp[-1], 1, &sp[-1]));
            break;
        case '!':
            if (HAS(1)) sp[-1] = !sp[-1];
            break;
        case '+':
            if (!HAS(2)) break;
            sp--;
            check(__builtin_add_overflow(sp[-1], sp[0], &sp[-1]));
            break;
        case '-':
            if (!HAS(2)) break;
            sp--;
            check(__builtin_sub_overflow(sp[-1], sp[0], &sp[-1]));
            break;
        case '*':
            if (!HAS(2)) break;
            sp--;
            check(__builtin_mul_overflow(sp[-1], sp[0], &sp[-1]));
            break;
        case '|':
            if (!HAS(2)) break;
            sp--;
            check(sp[0] == -1 && sp[-1] == LEAST);
            sp[-1] = sp[0] ? sp[-1] / sp[0] : 0;
            break;
        case '`':
            if (!HAS(2)) break;
            sp--;
            sp[-1] = sp[-1] > sp[0];
            break;
        case '?': fail("? is not known here"); break;
        case ':':
            if (HAS(1)) PUSH(sp[-1]);
            break;
        case ';':
            if (HAS(2)) {
                Number top = sp[-1];
                sp[-1] = sp[-2];
                sp[-2] = top;
            }
            break;
        case '$':
            if (HAS(1)) sp--;
            break;
        case 'r': case 's': case 'g': {
            if (!HAS(1)) break;
            Number index = *--sp;
            if (index < 0 || !HAS(index + 1)) break;
            Number *found = &sp[-1 - index], value = *found;
            if (code == 'g') {
                PUSH(value);
            } else if (code == 's') {
                *found = sp[-1];
                sp[-1] = value;
            } else {
                memmove(found, found + 1, index * sizeof *found);
                sp[-1] = value;
            }
            break;
        }
        }
        MOVE();
    }
done:
    free_place = sp;
    final_x = x;
    final_y = y;
    return left;
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: mirrorfunge PROGRAM STEPS");
    plane = split_rows(read_file(argv[1]), ' ');
    int64_t steps = atoll(argv[2]);
    double began = cpu_seconds();
    int64_t left = run(steps);
    double seconds = cpu_seconds() - began;
    Bytes numbers = {0};
    for (const Number *value = stack; value < free_place; value++) {
        write_number(&numbers, *value);
        append_byte(&numbers, ' ');
    }
    printf("{\"steps\": %lld, \"output\": %u, \"stack\": %u, \"place\": [%d, %d], "
           "\"seconds\": %.6f}\n",
           (long long)(steps - left), checksum(output.data, output.size),
           checksum(numbers.data, numbers.size), final_x, final_y, seconds);
    return 0;
}
