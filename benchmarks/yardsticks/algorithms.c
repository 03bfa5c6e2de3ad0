/* What the Mirrorfunge programs compute, written by hand: the same algorithms, without a plane.
 *
 *     algorithms primes|collatz|gcd-sum|fibonacci N
 */

#include "yardstick.h"

static Bytes output;

static void print(int64_t number, char behind) {
    char text[24];
    append(&output, text, snprintf(text, sizeof text, "%lld%c", (long long)number, behind));
}

/* All primes up to n, by trial division. */
static void primes(int64_t n) {
    for (int64_t candidate = 2; candidate <= n; candidate++) {
        int64_t divisor = 2;
        while (divisor * divisor <= candidate && candidate % divisor != 0) divisor++;
        if (divisor * divisor > candidate) print(candidate, '\n');
    }
}

/* The start up to n with the longest 3x+1 chain, and its length. */
static void collatz(int64_t n) {
    int64_t best = 0, longest = 0;
    for (int64_t start = n; start > 0; start--) {
        int64_t length = 1;
        for (int64_t value = start; value != 1; length++)
            value = value % 2 ? 3 * value + 1 : value / 2;
        if (length > longest) {
            longest = length;
            best = start;
        }
    }
    print(best, ' ');
    print(longest, '\n');
}

/* The sum of gcd(i, n) for i from 1 to n, by Euclid's algorithm. */
static void gcd_sum(int64_t n) {
    int64_t sum = 0;
    for (int64_t i = n; i > 0; i--) {
        int64_t a = i, b = n;
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        sum += a;
    }
    print(sum, '\n');
}

/* The Fibonacci number after n more than the second, modulo 10^9 + 7. */
static void fibonacci(int64_t n) {
    int64_t a = 0, b = 1;
    for (; n > 0; n--) {
        int64_t next = (a + b) % 1000000007;
        a = b;
        b = next;
    }
    print(b, '\n');
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: algorithms NAME N");
    int64_t n = atoll(argv[2]);
    double began = cpu_seconds();
    if (!strcmp(argv[1], "primes")) primes(n);
    else if (!strcmp(argv[1], "collatz")) collatz(n);
    else if (!strcmp(argv[1], "gcd-sum")) gcd_sum(n);
    else if (!strcmp(argv[1], "fibonacci")) fibonacci(n);
    else fail("an unknown algorithm");
    double seconds = cpu_seconds() - began;
    printf("{\"output\": %u, \"seconds\": %.6f}\n", checksum(output.data, output.size), seconds);
    return 0;
}
