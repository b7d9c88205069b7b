/*
pixels.h - rectangles and text on an SDL2 renderer, and a PNG of the result

No pictures and no fonts are loaded. Needs SDL2 and libpng.
*/
#ifndef PIXELS_H
#define PIXELS_H

#include <SDL2/SDL.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* A rectangle around a middle. */
static inline void pixels_fill(SDL_Renderer *r, uint32_t rgb, int x, int y, int width, int height) {
    const SDL_Rect rect = {x - width / 2, y - height / 2, width, height};
    SDL_SetRenderDrawColor(r, (Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb, 255);
    SDL_RenderFillRect(r, &rect);
}

/* Capitals, digits, full stops and spaces, three by five dots each. size: of a dot; x, y: the middle of the first. */
static inline void pixels_text(SDL_Renderer *r, uint32_t rgb, int x, int y, int size, const char *text) {
    /* Each octal digit is a row of three dots. */
    static const unsigned short letters[] = {025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
                                             011152, 055655, 044447, 057755, 065555, 025552, 065644, 025573, 065655,
                                             034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247};
    static const unsigned short digits[] = {075557, 026227, 071747, 071717, 055711,
                                            074717, 074757, 071122, 075757, 075717};
    for (; *text; text++, x += 4 * size) {
        unsigned short glyph = *text >= 'A' && *text <= 'Z'   ? letters[*text - 'A']
                               : *text >= '0' && *text <= '9' ? digits[*text - '0']
                                                              : 0;
        if (*text == '.') glyph = 2;
        for (int bit = 0; bit < 15; bit++)
            if (glyph >> (14 - bit) & 1) pixels_fill(r, rgb, x + bit % 3 * size, y + bit / 3 * size, size, size);
    }
}

/* 0 if it cannot be written. */
static inline int pixels_save(SDL_Renderer *r, int width, int height, const char *path) {
    const int row = 3 * width;
    void *pixels = malloc((size_t)row * (size_t)height);
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = PNG_FORMAT_RGB;
    const int good = pixels && !SDL_RenderReadPixels(r, NULL, SDL_PIXELFORMAT_RGB24, pixels, row) &&
                     png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
    free(pixels);
    return good;
}

#endif
