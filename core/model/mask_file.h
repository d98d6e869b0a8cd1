// Reads and writes masks in the conventions of other programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/request/mask.h"

namespace headscope {

// additive: 0 or -inf, float32 [query_len, key_len]; keep: 1 = may attend, hide: 1 = hidden, booleans of that shape;
// key_padding: 1 = a real key, booleans [batch, key_len], as an attention_mask of a tokenizer.
enum class MaskConvention { additive, keep, hide, key_padding };
std::string_view mask_convention_name(MaskConvention convention);  // "additive", ..., "key-padding"

// Writes what (b, h) of `hidden` hides to a .npy or .csv file, without the key of bias_k; key_padding: a row for every
// batch item. UsageError when the path has another ending, or when key_padding cannot express the mask because the
// queries see different keys. Error when the file cannot be written.
void write_mask_file(const std::string& path, MaskConvention convention, const HiddenCells& hidden, std::int64_t b,
                     std::int64_t h, bool extra_key);

// 1 = hidden, [query_len, key_len] row-major, from a .npy or .csv file of that shape, of [key_len] or [1, key_len],
// with leading axes of 1. With key_padding every row belongs to one text: [texts, key_len], or [texts, 1, 1, key_len];
// `text` is the row that is read. UsageError for another shape, and for values that the convention does not have; an
// additive mask may hold only 0, large negative numbers (-1e4 and below) and -inf, because others cannot be painted.
std::vector<std::uint8_t> read_mask_file(const std::string& path, MaskConvention convention, std::int64_t query_len,
                                         std::int64_t key_len, std::int64_t text = 0);

}  // namespace headscope
