// SPDX-License-Identifier: Apache-2.0
// Filters that are cut into slices at different sites, and what happens when sites fail (paper 000,
// section 3). Pure functions; the paper's symbols stand in the comments.
//
// Horizontal: a key belongs to one of S slices (H_S), each a filter of m/S cells. Vertical: cell j
// of one filter lies in slice floor(j * S / m). Diced: one cut inside the other, S * S' sites.
#pragma once

#include <cstdint>
#include <optional>

#include "bloom/probe.h"

namespace weir::bloom {

// (1 - (1 - S/m)^(kn/S))^k, eq. 4, if every slice has received n/S keys. Requires slices of at
// least one cell, here and below.
double horizontal_false_positives(const BloomShape& shape, std::uint32_t slice_count,
                                  double key_count);
// Eq. 3: cutting a filter vertically changes nothing.
double vertical_false_positives(const BloomShape& shape, double key_count);

// S and S': the outer cut and the inner.
struct DicedSlices {
  std::uint32_t outer_count = 0;
  std::uint32_t inner_count = 0;
};
// h-v: horizontal slices, each cut vertically. Only the horizontal cut matters.
double horizontal_vertical_false_positives(const BloomShape& shape, DicedSlices slices,
                                           double key_count);
// v-h: vertical slices, each cut horizontally: (1 - (1 - SS'/m)^(kn/(SS')))^k.
double vertical_horizontal_false_positives(const BloomShape& shape, DicedSlices slices,
                                           double key_count);

// A filter of which some sites have failed. A diced filter behaves as a vertical one of S * S'.
struct FailedFilter {
  double failed_share = 0;        // a = f/S
  double fill = 0;                // q = 1 - e^(-kn/m); p = q^k
  std::uint32_t probe_count = 0;  // k
};

struct ErrorRates {
  double false_positives = 0;
  double false_negatives = 0;
};

// What lies at a failed site counts as set: a + (1-a)p, and (a + (1-a)q)^k. No false negatives.
ErrorRates horizontal_failed_as_duplicate(const FailedFilter& filter);
ErrorRates vertical_failed_as_duplicate(const FailedFilter& filter);

// What lies at a failed site counts as unset: false positives (1-a)p and ((1-a)q)^k, false
// negatives a and 1 - (1-a)^k.
ErrorRates horizontal_failed_as_distinct(const FailedFilter& filter);
ErrorRates vertical_failed_as_distinct(const FailedFilter& filter);

// A duplicate needs at least x = live_count_min cells at live sites, and all of those set: false
// positives sum over i >= x of binom(k,i) ((1-a)q)^i a^(k-i), false negatives sum over i < x of
// binom(k,i) (1-a)^i a^(k-i). x = k is failed_as_distinct, x = 0 is failed_as_duplicate.
ErrorRates vertical_at_least(const FailedFilter& filter, std::uint32_t live_count_min);

// S_f: into how many slices to cut, so that false positives stay within P_max when f sites have
// failed and what lies there counts as set. f(1-p) / (P_max - p), and f(1-q) / (P_max^(1/k) - q).
// Nothing if the filter exceeds P_max without any failure.
struct FailureWish {
  std::uint32_t failed_count = 0;  // f
  double false_positives_max = 0;  // P_max
  double fill = 0;                 // q
  std::uint32_t probe_count = 0;   // k
};
std::optional<std::uint32_t> horizontal_slice_count(const FailureWish& wish);
std::optional<std::uint32_t> vertical_slice_count(const FailureWish& wish);

// k log2(m): bits of a lookup's message if it names cells and not the event.
double message_bits(const BloomShape& shape);
// k log2(m/S) in one message, or in as many as sites are contacted.
double sliced_message_bits(const BloomShape& shape, std::uint32_t slice_count);
// The mean number of sites that hold the k cells of a key: S (1 - (1 - 1/S)^k).
double vertical_site_count(std::uint32_t slice_count, std::uint32_t probe_count);
// Cells that a pipelined lookup of a distinct key looks at before the first unset one ends it, or
// all: (1 - q^k) / (1 - q).
double pipelined_cell_count(double fill, std::uint32_t probe_count);

}  // namespace weir::bloom
