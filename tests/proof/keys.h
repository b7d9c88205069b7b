/* keys.h - what the functions of sap.h's chapter "keys" promise, in ACSL, for every input.

   frama.sh puts the functions themselves, cut out of sap.h, behind these declarations, and sap__box before them; the
   WP of Frama-C then proves that each keeps its promise and that no operation in it overflows. Taken for granted are
   the axioms below; what test_proof.c tries on all floats rests on none of them. */

#define SAP__FORCE_INLINE static

/*@ axiomatic Floats {
      logic integer bits_of(float f) reads \nothing; // the bits of a float, as an unsigned number
    } */

/* What the operators mean on 32 bits, which the provers do not find by themselves. */
/*@ axiomatic Bits {
      axiom low_bits: \forall integer u; 0 <= u <= 0xffffffff ==>
        (u & 0x7fffffff) == (u >= 0x80000000 ? u - 0x80000000 : u);
      axiom high_bit: \forall integer u; 0 <= u <= 0xffffffff ==> (u >> 31) == (u >= 0x80000000 ? 1 : 0);
      axiom set_bit: \forall integer u; 0 <= u <= 0x7fffffff ==> (0x80000000 | u) == 0x80000000 + u;
    } */

/*@ logic integer sign_of(integer bits) = bits >= 0x80000000 ? 1 : 0;
    logic integer magnitude_of(integer bits) = bits >= 0x80000000 ? bits - 0x80000000 : bits;
    logic integer key_of(integer bits) = sign_of(bits) == 1 ? -magnitude_of(bits) : magnitude_of(bits);
    predicate is_number(integer bits) = magnitude_of(bits) <= 0x7f800000;
    // IEEE 754 of two numbers, by their bits: of the same sign the magnitudes decide, and zeros are equal
    predicate less(integer a, integer b) =
      (sign_of(a) == 0 && sign_of(b) == 0 && magnitude_of(a) < magnitude_of(b)) ||
      (sign_of(a) == 1 && sign_of(b) == 1 && magnitude_of(a) > magnitude_of(b)) ||
      (sign_of(a) == 1 && sign_of(b) == 0 && magnitude_of(a) + magnitude_of(b) > 0); */

/*@ lemma keys_order_as_floats: \forall integer a, b; 0 <= a <= 0xffffffff && 0 <= b <= 0xffffffff ==>
      (less(a, b) <==> key_of(a) < key_of(b));
    lemma zeros_are_equal: key_of(0) == key_of(0x80000000);
    lemma keys_of_numbers: \forall integer a; 0 <= a <= 0xffffffff ==>
      (is_number(a) <==> -0x7f800000 <= key_of(a) <= 0x7f800000); */

/* C cannot say what memcpy does to the bits of a float, so the two calls are taken for granted. */

/*@ assigns \nothing;
    ensures \result == bits_of(f); */
uint32_t sap__float_bits(float f);

/*@ assigns \nothing;
    ensures bits_of(\result) == u; */
float float_of(uint32_t u);
#define memcpy(to, from, size) (*(to) = float_of(*(from)))

/*@ assigns \nothing;
    ensures \result == key_of(bits_of(f)); */
SAP__FORCE_INLINE int32_t sap__key(float f);

/*@ requires -0x7fffffff <= key;
    assigns \nothing;
    ensures key_of(bits_of(\result)) == key;
    ensures bits_of(\result) != 0x80000000; // never -0 */
SAP__FORCE_INLINE float sap__float(int32_t key);

/*@ predicate meets(sap__box *a, sap__box *b, integer k) = a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k]; */

/*@ requires \valid_read(a) && \valid_read(b);
    assigns \nothing;
    ensures \result == 0 || \result == 1;
    ensures \result == 1 <==> (meets(a, b, 0) && meets(a, b, 1) && meets(a, b, 2)); */
SAP__FORCE_INLINE int sap__overlap(const sap__box *a, const sap__box *b);

/*@ requires \valid_read(box) && 0 <= axis < 3 && is_max <= 1;
    assigns \nothing;
    ensures is_max == 0 ==> \result == box->lo[axis];
    ensures is_max == 1 ==> \result == box->hi[axis]; */
SAP__FORCE_INLINE int32_t sap__endpoint_key(const sap__box *box, int axis, uint32_t is_max);
