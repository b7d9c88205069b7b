/*
standard.h - the headers of the C library that an exercise may use; others are yours to include
*/
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
