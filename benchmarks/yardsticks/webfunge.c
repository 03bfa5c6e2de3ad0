/* Webfunge: a plain interpreter, pixel after pixel. Textures and the log are left out.
 *
 *     webfunge PROGRAM WIDTH HEIGHT TIME STEPS
 *
 * STEPS is the limit for each pixel.
 */

#include <math.h>

#include "yardstick.h"

enum { STACK = 256, REGISTERS = 128, CALLS = 1 << 16, ROUNDS = 1 << 16, LOADED = 1 << 16 };
enum { PATIENCE = 1000000 };
typedef enum { RUNNING, HALTED, LIMIT, FAULT } Stop;

typedef struct {
    double x, y, dx, dy;
} Pointer;

static Rows space;
static Pointer ip;
static float stack[STACK], registers[REGISTERS];
static int depth;
static Pointer calls[CALLS];
static int call_count;
static struct {
    int code;
    double times;
} rounds[ROUNDS]; /* what `k` has still to do, the innermost last */
static int round_count;
static char loaded[LOADED];
static int loaded_count;
static Stop stop;
static uint64_t seed;
static int64_t tick;

/* Code space --------------------------------------------------------------------------------- */

static int inside(double x, double y) {
    return x >= 0 && x < space.width && y >= 0 && y < space.height;
}

static int code_at(double x, double y) {
    if (!inside(x, y)) return 0;
    int column = x, row = y;
    if (column != x || row != y) return 0;
    int code = space.cells[(size_t)row * space.width + column];
    return code == ' ' ? 0 : code;
}

static void back_to_edge(void) {
    for (int moves = 0; inside(ip.x, ip.y); moves++) {
        if (moves > PATIENCE) {
            stop = LIMIT;
            return;
        }
        ip.x -= ip.dx;
        ip.y -= ip.dy;
    }
}

static void move(void) {
    if (inside(ip.x, ip.y) && !inside(ip.x + ip.dx, ip.y + ip.dy)) back_to_edge();
    ip.x += ip.dx;
    ip.y += ip.dy;
}

static void turn(double dx, double dy) {
    ip.dx = dx;
    ip.dy = dy;
}

static void turn_left(void) { turn(ip.dy, 0.0 - ip.dx); }
static void turn_right(void) { turn(0.0 - ip.dy, ip.dx); }
static void reflect(void) { turn(0.0 - ip.dx, 0.0 - ip.dy); }

static void jump_over(void) {
    for (int moves = 0; moves < PATIENCE; moves++) {
        move();
        if (code_at(ip.x, ip.y) == ';') return;
    }
    stop = LIMIT;
}

/* Operands ----------------------------------------------------------------------------------- */

static double take(void) {
    return depth ? stack[--depth] : 0.0;
}

static void give(double value) {
    if (depth < STACK) stack[depth++] = value;
    else stop = FAULT;
}

static int take_length(void) {
    double n = take();
    if (n >= STACK + 1) stop = FAULT;
    return stop == RUNNING && n >= 1 ? n : 0;
}

/* Pop n values into an array, the deepest first. */
static void take_vector(double *values, int n) {
    while (n--) values[n] = take();
}

static void give_vector(const double *values, int n) {
    if (depth + n > STACK) {
        stop = FAULT;
        return;
    }
    for (int i = 0; i < n; i++) stack[depth++] = values[i];
}

static int is_true(double value) {
    return value != 0 && value == value;
}

static double rounded_up(double n) {
    return n > 0 ? ceil(n) : 0;
}

/* An index counted from the bottom, as one of `size` values; -1 if none has it. */
static int within(double index, int size) {
    return index >= 0 && index < size && index == (int)index ? (int)index : -1;
}

static double from_bottom(double index, int size) {
    return index < 0 ? index + size : index;
}

static void store(double index, double value) {
    int at = within(index, depth);
    if (at >= 0) stack[at] = value;
}

static float *slot(double reg, int offset) {
    int at = within(reg * 8 + offset, REGISTERS);
    return at < 0 ? NULL : &registers[at];
}

/* Instructions ------------------------------------------------------------------------------- */

static void pick_vector(void) {
    float old[2 * STACK + 2] = {0};
    int size = depth, known = size > 2 ? size : 2;
    memcpy(old + known - size, stack, size * sizeof *old);
    int n = take_length();
    double first = from_bottom(take(), size);
    if (depth + n > STACK) stop = FAULT;
    for (int i = 0; i < n && stop == RUNNING; i++) {
        int at = within(first + i, known);
        give(at < 0 ? 0.0 : old[at]);
        old[depth - 1] = stack[depth - 1]; /* it covers what stood in its place */
        if (depth > known) known = depth;
    }
}

static void replace_vector(void) {
    double values[STACK];
    int size = depth, n = take_length();
    double first = from_bottom(take(), size);
    take_vector(values, n);
    for (int i = 0; i < n; i++) store(first + i, values[i]);
}

static void load_vector(void) {
    double values[STACK];
    int n = take_length();
    double reg = take();
    for (int i = 0; i < n; i++) {
        float *from = slot(reg, i);
        values[i] = from ? *from : 0.0;
    }
    give_vector(values, n);
}

static void store_vector(void) {
    double values[STACK];
    int n = take_length();
    double reg = take();
    take_vector(values, n);
    for (int i = 0; i < n; i++) {
        float *to = slot(reg, i);
        if (to) *to = values[i];
    }
}

static double modulo(double a, double b) {
    return a - b * floor(a / b);
}

static double least(double a, double b) {
    if (a != a || b != b) return NAN;
    return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

static double most(double a, double b) {
    if (a != a || b != b) return NAN;
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static uint64_t stir(uint64_t bits) {
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

static uint64_t mix(uint64_t from, uint64_t counter) {
    return stir(stir(from) + counter * 0x9E3779B97F4A7C15u);
}

/* A letter of common maths; says whether there is one. */
static int do_maths(int letter) {
    double a, b, t;
    switch (letter) {
    case 'A': give(fabs(take())); return 1;
    case 'C': give(cos(take())); return 1;
    case 'E': give(exp(take())); return 1;
    case 'F': give(floor(take())); return 1;
    case 'I': b = take(), a = take(), give(least(a, b)); return 1;
    case 'J': b = take(), a = take(), give(most(a, b)); return 1;
    case 'L': give(log(take())); return 1;
    case 'M': t = take(), b = take(), a = take(), give(a * (1 - t) + b * t); return 1;
    case 'P': give(3.141592653589793); return 1;
    case 'Q': give(sqrt(take())); return 1;
    case 'R': give((double)(mix(seed, tick) >> 40) / (1 << 24)); return 1;
    case 'S': give(sin(take())); return 1;
    case 'W': b = take(), a = take(), give(pow(a, b)); return 1;
    }
    return 0;
}

static double dot(const double *a, const double *b, int n, int stride_of_b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i * stride_of_b];
    return sum;
}

static int do_vectors(int letter) {
    double a[2 * STACK], b[STACK], k, size;
    int n;
    switch (letter) {
    case 'A': case 'S': case 'Y': case 'V': case 'O': case 'I': case 'J':
        n = take_length();
        take_vector(b, n);
        take_vector(a, n);
        for (int i = 0; i < n; i++)
            switch (letter) {
            case 'A': a[i] += b[i]; break;
            case 'S': a[i] -= b[i]; break;
            case 'Y': a[i] *= b[i]; break;
            case 'V': a[i] /= b[i]; break;
            case 'O': a[i] = modulo(a[i], b[i]); break;
            case 'I': a[i] = least(a[i], b[i]); break;
            case 'J': a[i] = most(a[i], b[i]); break;
            }
        give_vector(a, n);
        return 1;
    case 'D':
        n = take_length();
        take_vector(b, n);
        take_vector(a, n);
        give(dot(a, b, n, 1));
        return 1;
    case 'K':
        n = take_length(), k = take();
        take_vector(a, n);
        for (int i = 0; i < n; i++) a[i] *= k;
        give_vector(a, n);
        return 1;
    case 'L':
        n = take_length();
        take_vector(a, n);
        give(sqrt(dot(a, a, n, 1)));
        return 1;
    case 'M':
        n = take_length(), k = take();
        take_vector(b, n);
        take_vector(a, n);
        for (int i = 0; i < n; i++) a[i] = a[i] * (1 - k) + b[i] * k;
        give_vector(a, n);
        return 1;
    case 'N':
        n = take_length();
        take_vector(a, n);
        size = sqrt(dot(a, a, n, 1));
        for (int i = 0; i < n; i++) a[i] /= size;
        give_vector(a, n);
        return 1;
    case 'W':
        n = take_length();
        take_vector(a, n);
        memcpy(a + n, a, n * sizeof *a);
        give_vector(a, 2 * n);
        return 1;
    case 'X':
        take_vector(b, 3);
        take_vector(a, 3);
        a[3] = a[1] * b[2] - a[2] * b[1];
        a[4] = a[2] * b[0] - a[0] * b[2];
        a[5] = a[0] * b[1] - a[1] * b[0];
        give_vector(a + 3, 3);
        return 1;
    }
    return 0;
}

static int do_matrices(int letter) {
    double a[STACK], b[STACK], c[STACK];
    if (letter == 'M') {
        int k = take_length(), j = take_length(), i = take_length();
        if (i * j > STACK || j * k > STACK || i * k > STACK) stop = FAULT;
        if (stop != RUNNING) return 1;
        take_vector(b, j * k);
        take_vector(a, i * j);
        for (int row = 0; row < i; row++)
            for (int column = 0; column < k; column++)
                c[row * k + column] = dot(a + row * j, b + column, j, k);
        give_vector(c, i * k);
        return 1;
    }
    if (letter < 'X') return 0;
    int i = take_length();
    double angle = take();
    if (i * i > STACK) stop = FAULT;
    if (stop != RUNNING) return 1;
    const int first = (letter - 'X' + 1) % 3, second = (letter - 'X' + 2) % 3;
    for (int at = 0; at < i * i; at++) {
        int row = at / i, column = at % i;
        int turned = (row == first || row == second) && (column == first || column == second);
        if (!turned) a[at] = row == column;
        else if (row == column) a[at] = cos(angle);
        else a[at] = row == first ? -sin(angle) : sin(angle);
    }
    give_vector(a, i * i);
    return 1;
}

static void do_letter(int letter) {
    for (int i = loaded_count - 1; i >= 0; i--) {
        int done = loaded[i] == 'm'   ? do_maths(letter)
                   : loaded[i] == 'V' ? do_vectors(letter)
                                      : do_matrices(letter);
        if (done) return;
    }
    reflect();
}

static void act(int code) {
    double a, b;
    int size, at;
    float *place;
    switch (code) {
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9': give(code - '0'); break;
    case 'a': case 'b': case 'c': case 'd': case 'e': case 'f': give(code - 'a' + 10); break;
    case '\'':
        move();
        give(code_at(ip.x, ip.y));
        break;
    case '+': b = take(), a = take(), give(a + b); break;
    case '-': b = take(), a = take(), give(a - b); break;
    case '*': b = take(), a = take(), give(a * b); break;
    case '/': b = take(), a = take(), give(a / b); break;
    case '%': b = take(), a = take(), give(modulo(a, b)); break;
    case 'n': give(-take()); break;
    case '!': give(!is_true(take())); break;
    case '`': b = take(), a = take(), give(a > b); break;
    case '$': case ',': take(); break;
    case ':': a = take(), give(a), give(a); break;
    case '\\': b = take(), a = take(), give(b), give(a); break;
    case 't': give(depth); break;
    case 'y':
        size = depth;
        at = within(from_bottom(size ? stack[size - 1] : 0.0, size), size);
        a = at < 0 ? 0.0 : stack[at];
        take();
        give(a);
        break;
    case 'z': size = depth, b = take(), a = take(), store(from_bottom(b, size), a); break;
    case 'p': pick_vector(); break;
    case 's': replace_vector(); break;
    case '&':
        place = slot(take(), 0);
        give(place ? *place : 0.0);
        break;
    case '.':
        place = slot(take(), 0), a = take();
        if (place) *place = a;
        break;
    case 'i': load_vector(); break;
    case 'o': store_vector(); break;
    case '>': turn(1, 0); break;
    case 'v': turn(0, 1); break;
    case '<': turn(-1, 0); break;
    case '^': turn(0, -1); break;
    case '[': turn_left(); break;
    case ']': turn_right(); break;
    case 'r': reflect(); break;
    case 'x': b = take(), a = take(), turn(a + 0.0, b + 0.0); break;
    case '?':
        at = mix(seed, tick) & 3;
        turn(at == 0 ? 1 : at == 2 ? -1 : 0, at == 1 ? 1 : at == 3 ? -1 : 0);
        break;
    case '#': move(); break;
    case 'j':
        a = rounded_up(take());
        if (a > PATIENCE) stop = LIMIT;
        else while (a-- > 0) move();
        break;
    case ';': jump_over(); break;
    case '=': b = take(), a = take(), ip.x = a - ip.dx, ip.y = b - ip.dy; break;
    case 'u':
        if (ip.dx || ip.dy) back_to_edge();
        break;
    case 'l':
        turn_right();
        move();
        turn_left();
        if (ip.dx || ip.dy) back_to_edge();
        break;
    case '{':
        b = take(), a = take();
        if (call_count == CALLS) fail("too many calls");
        calls[call_count++] = ip;
        ip = (Pointer){a - 1, b, 1, 0};
        break;
    case '}':
        if (call_count) ip = calls[--call_count];
        else reflect();
        break;
    case 'k':
        a = rounded_up(take());
        move();
        if (round_count == ROUNDS) fail("too many rounds");
        if (a) rounds[round_count].code = code_at(ip.x, ip.y), rounds[round_count++].times = a;
        break;
    case '_': is_true(take()) ? turn(-1, 0) : turn(1, 0); break;
    case '|': is_true(take()) ? turn(0, -1) : turn(0, 1); break;
    case 'w':
        b = take(), a = take();
        if (a > b) turn_right();
        else if (a < b) turn_left();
        break;
    case 'g': b = take(), a = take(), give(code_at(a, b)); break;
    case '(':
        a = take();
        if (loaded_count == LOADED) fail("too many semantics");
        if (a == 'm' || a == 'V' || a == 'M') loaded[loaded_count++] = a;
        else reflect();
        break;
    case ')':
        if (loaded_count) loaded_count--;
        break;
    case '@': stop = HALTED; break;
    default:
        if (code >= 'A' && code <= 'Z') do_letter(code);
    }
}

/* Pictures ----------------------------------------------------------------------------------- */

static void run(int64_t steps) {
    int in_string = 0;
    for (; tick < steps && stop == RUNNING; tick++) {
        if (round_count) {
            rounds[round_count - 1].times--;
            act(rounds[round_count - 1].code);
            while (round_count && rounds[round_count - 1].times <= 0) round_count--;
            if (!round_count && stop == RUNNING) move();
            continue;
        }
        int code = code_at(ip.x, ip.y);
        if (code == '"') in_string = !in_string;
        else if (in_string) give(code);
        else act(code);
        if (!round_count && stop == RUNNING) move();
    }
}

static unsigned char channel(int from_top) {
    double value = depth > from_top ? stack[depth - 1 - from_top] * 255.0 : 0.0;
    if (stop == FAULT || value != value || value < 0) return 0;
    return value > 255 ? 255 : value;
}

static void run_pixel(int x, int y, int width, int height, double time, int64_t steps) {
    stack[0] = x, stack[1] = y, stack[2] = width, stack[3] = height, stack[4] = time;
    depth = 5;
    memset(registers, 0, sizeof registers);
    ip = (Pointer){0, 0, 1, 0};
    call_count = round_count = 0;
    loaded[0] = 'm';
    loaded_count = 1;
    stop = RUNNING;
    seed = mix(mix(0, x), y);
    tick = 0;
    run(steps);
}

int main(int argc, char **argv) {
    if (argc != 6) fail("usage: webfunge PROGRAM WIDTH HEIGHT TIME STEPS");
    space = split_rows(read_file(argv[1]), ' ');
    int width = atoi(argv[2]), height = atoi(argv[3]);
    double time = atof(argv[4]);
    int64_t steps = atoll(argv[5]), all_steps = 0;
    Bytes picture = {0};
    double began = cpu_seconds();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            run_pixel(x, y, width, height, time, steps);
            all_steps += tick;
            append(&picture, (unsigned char[]){channel(2), channel(1), channel(0)}, 3);
        }
    double seconds = cpu_seconds() - began;
    printf("{\"steps\": %lld, \"picture\": %u, \"seconds\": %.6f}\n", (long long)all_steps,
           checksum(picture.data, picture.size), seconds);
    return 0;
}
