// SPDX-License-Identifier: Apache-2.0
// What a change term sees in an event and what it remembers of it, for each kind of movement.
//
//   movement          sample              memory
//   > >= rises falls  a finite number     the last delivered one
//   crosses           a finite number     the last side
//   any change        a scalar            the last delivered one
//   text              a document's terms  those of the last delivered one
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/bytes.h"
#include "event/event.h"
#include "filter/ast.h"
#include "match/movement.h"
#include "match/text_corpus.h"
#include "match/text_reader.h"

namespace weir::match {

using Sample = std::variant<double, filter::Literal, TermCounts>;
using Memory = std::variant<double, filter::Literal, TermCounts, Side>;

// Nothing if the event has no value there that the movement can judge; its condition is not asked.
std::optional<Sample> sample_of(const filter::Change& change, const event::Event& event,
                                TextReader& reader);

// What is remembered of a first value, and of one that follows.
Memory remember(const filter::Movement& movement, const Sample& first);
Memory remember(const filter::Movement& movement, const Memory& last, const Sample& current);

// Whether the current value has moved as asked.
bool is_satisfied(const filter::Movement& movement, const Memory& last, const Sample& current,
                  TextReader& reader);

// Whether the memory moves with the value although nothing is to be delivered: a level crossed in
// the direction that is not asked for.
bool turns_silently(const filter::Movement& movement, const Memory& last, const Sample& current);

// As bytes: docs/formats/checkpoint.md. Malformed ones fail the reader.
void write_sample(const Sample& sample, base::ByteWriter& writer);
void write_memory(const Memory& memory, base::ByteWriter& writer);
Sample read_sample(const filter::Movement& movement, base::ByteReader& reader);
Memory read_memory(const filter::Movement& movement, base::ByteReader& reader);

}  // namespace weir::match
