/* What all yardsticks share: reading a file, output that is kept, checksums, and the clock. */

#ifndef YARDSTICK_H
#define YARDSTICK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void fail(const char *why) {
    fprintf(stderr, "yardstick: %s\n", why);
    exit(1);
}

static inline void *sure(void *memory) {
    if (!memory) fail("out of memory");
    return memory;
}

/* Bytes that grow: a source, or what a program writes. */
typedef struct {
    unsigned char *data;
    size_t size, room;
} Bytes;

static inline void append(Bytes *bytes, const void *more, size_t size) {
    if (bytes->size + size > bytes->room) {
        bytes->room = 2 * (bytes->size + size);
        bytes->data = sure(realloc(bytes->data, bytes->room));
    }
    memcpy(bytes->data + bytes->size, more, size);
    bytes->size += size;
}

static inline void append_byte(Bytes *bytes, unsigned char byte) {
    append(bytes, &byte, 1);
}

static inline Bytes read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read the program");
    Bytes bytes = {0};
    char chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file));) append(&bytes, chunk, got);
    fclose(file);
    return bytes;
}

/* A rectangle of bytes from lines of text; short lines are filled up. */
typedef struct {
    int width, height;
    unsigned char *cells;
} Rows;

static inline Rows split_rows(Bytes source, unsigned char filling) {
    Rows rows = {0};
    while (source.size && source.data[source.size - 1] == '\n') source.size--;
    int length = 0;
    rows.height = 1;
    for (size_t i = 0; i < source.size; i++) {
        length = source.data[i] == '\n' ? 0 : length + 1;
        rows.height += source.data[i] == '\n';
        if (length > rows.width) rows.width = length;
    }
    if (!rows.width) fail("an empty program");
    rows.cells = sure(malloc((size_t)rows.width * rows.height));
    memset(rows.cells, filling, (size_t)rows.width * rows.height);
    int x = 0, y = 0;
    for (size_t i = 0; i < source.size; i++) {
        if (source.data[i] == '\n') {
            x = 0;
            y++;
        } else {
            rows.cells[(size_t)y * rows.width + x++] = source.data[i];
        }
    }
    return rows;
}

/* CRC-32, as zlib has it. */
static inline uint32_t checksum(const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static inline double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

#endif
