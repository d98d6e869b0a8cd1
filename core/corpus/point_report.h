// Principal axes of heads as JSON, and the points of one head as a table.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/corpus/head_points.h"

namespace headscope {

// {query, key, value, output}: the shares of variance of the first kReportedAxes principal axes, falling; null for
// vectors that the record does not hold. Null for all where no points were asked for.
nlohmann::ordered_json variance_json(const HeadRecord& head, const CorpusRecord& record);

// layer,head,vector,phrase,position,token,id,hash,pc1,...,pc8: a line for every point of every kind of vector, in the
// order in which they were drawn; its places on the principal axes, as many as there are.
void write_points(std::ostream& out, const CorpusRecord& record, std::size_t head);

// The text of that table.
std::string points_csv(const CorpusRecord& record, std::size_t head);

}  // namespace headscope
