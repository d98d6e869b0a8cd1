// Values of REQUEST options that are more than a word, a number or a path. Internal to core/request.
#pragma once

#include <cstdint>
#include <string>

#include "core/request/option_reach.h"
#include "core/request/request.h"

namespace headscope {

// Sizes above this overflow every product of two of them; no tensor could hold them.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

// Each sets one option from its value as it is typed. UsageError names the option, what was found and what was
// expected.
void set_token_ids(Request& request, const std::string& text);
void set_decoder_ids(Request& request, const std::string& text);
void set_lengths(Request& request, const std::string& text);
void set_mask(Request& request, const std::string& text);
void set_mask_fill(Request& request, const std::string& text);
void set_scale(Request& request, const std::string& text);
void set_past(Request& request, const std::string& text);
void set_softcap(Request& request, const std::string& text);
void set_dropout(Request& request, const std::string& text);
void set_variants(Request& request, const std::string& text);

// How far rows keep their numbers with the value that the request has (option_reach.h).
RowsApart rows_of_past(const Request& request);
RowsApart rows_of_fully_masked(const Request& request);

// "no-scale,mask-inverted"; "" for none.
std::string variants_text(const Request& request);

}  // namespace headscope
