/*
pair_set.h - the pairs that a user of a bare tree keeps: a hash table into a dense array

Trees only tell what a box might touch. Whoever wants to know which pairs begin and end keeps them, as the engines
around these trees do.
*/
#ifndef PAIR_SET_H
#define PAIR_SET_H

#include <cstddef>
#include <cstdint>
#include <vector>

struct pair_set {
    std::vector<uint64_t> pair;       /* in no order */
    std::vector<unsigned char> meets; /* the user's word about each pair, 0 at first */
    std::vector<uint32_t> table;      /* 1 + where in 'pair'; 0: free */

    static uint64_t key(uint32_t i, uint32_t j) {
        return i < j ? (uint64_t)i << 32 | j : (uint64_t)j << 32 | i;
    }
    std::size_t home(uint64_t k) const {
        return (std::size_t)((k * 0x9E3779B97F4A7C15u) >> 32) & (table.size() - 1);
    }
    std::size_t place(uint64_t k) const {
        std::size_t at = home(k);
        while (table[at] && pair[table[at] - 1] != k) at = (at + 1) & (table.size() - 1);
        return at;
    }
    bool insert(uint32_t i, uint32_t j) {
        if (2 * (pair.size() + 1) > table.size()) {
            table.assign(table.empty() ? 64 : 2 * table.size(), 0);
            for (std::size_t p = 0; p < pair.size(); p++) table[place(pair[p])] = (uint32_t)p + 1;
        }
        std::size_t at = place(key(i, j));
        if (table[at]) return false;
        pair.push_back(key(i, j));
        meets.push_back(0);
        table[at] = (uint32_t)pair.size();
        return true;
    }
    bool remove(uint32_t i, uint32_t j) {
        std::size_t at = table.empty() ? 0 : place(key(i, j));
        if (table.empty() || !table[at]) return false;
        erase(table[at] - 1);
        return true;
    }
    /* The last pair takes its place in the array; what follows in the table moves up. */
    void erase(std::size_t index) {
        std::size_t hole = place(pair[index]), mask = table.size() - 1, next = hole;
        for (;;) {
            next = (next + 1) & mask;
            if (!table[next]) break;
            std::size_t h = home(pair[table[next] - 1]);
            if (((next - h) & mask) >= ((next - hole) & mask)) table[hole] = table[next], hole = next;
        }
        table[hole] = 0;
        if (index + 1 < pair.size()) {
            table[place(pair.back())] = (uint32_t)index + 1;
            pair[index] = pair.back();
            meets[index] = meets.back();
        }
        pair.pop_back();
        meets.pop_back();
    }
};

#endif
