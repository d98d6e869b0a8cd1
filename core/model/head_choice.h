// Which layout the files of attention alone are read in: what the request says, else what alone fits; never a guess.
// Internal to core/model.
#pragma once

#include <string>
#include <vector>

#include "core/model/head_layouts.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// One of the three, as its file holds it.
struct HeadFile {
  const char* option = "";  // "query"
  std::string path;         // how messages call it
  Tensor tensor;            // of 3 or 4 axes, none of them 0
};
struct HeadFileSet {
  const HeadFile &query, &key, &value;
};

// The reading of the three: of four axes [batch, heads, len, head_dim], of three with --heads [batch, len, heads *
// head_dim], unless the request says another layout or that one does not fit and one other does. `sentences` gets what
// was read otherwise, and which other reading the sizes make as likely. With lengths, three axes are packed texts, and
// of four every item holds one text. UsageError where several layouts are as good, where none fits, and where the
// lengths do not fit.
HeadReading chosen_reading(const Request& request, const HeadFileSet& files, std::vector<std::string>& sentences);

}  // namespace headscope
