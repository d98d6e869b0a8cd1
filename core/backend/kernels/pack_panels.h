// How panels of a PackedMatrix are filled.
#pragma once

#include <cstdint>

#include "core/backend/kernels/matrix_source.h"

namespace headscope {

// Copies `count` panels of 32 rows of `from` each, inputs [0, in), one panel after the other to `to`, [panel][in][32]
// numbers of from.type. Of the last panel only `rows` rows in all are there (32 (count - 1) < rows <= 32 count); what
// is missing is filled up with zeros. Reads the source once, in an order that suits how it lies; asks ahead for what
// lies behind these panels.
void pack_panels(const MatrixSource& from, std::int64_t count, std::int64_t rows, std::int64_t in, void* to);

}  // namespace headscope
