// The fields of a request that name files.
#pragma once

#include <array>
#include <string>

#include "core/request/request.h"

namespace headscope {

// "" where it is not given. Besides these, `model` names a folder or file where it is not seeded or a demo, and terms
// of the mask name theirs.
inline constexpr std::array kFileFields = {
    &Request::input,      &Request::key_input, &Request::value_input, &Request::query,   &Request::key,
    &Request::value,      &Request::key_past,  &Request::value_past,  &Request::weights, &Request::dropout_mask,
    &Request::patch_from, &Request::image,     &Request::features};

}  // namespace headscope
