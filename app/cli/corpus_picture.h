// report --format png|svg|pdf: the heads of a scan, or of a folder that HeadVis shows, as a picture.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"

namespace headscope::cli {

bool is_picture_format(const std::string& format);

// The options that only a picture takes, for help and for refusing them elsewhere.
std::vector<OptionSpec> corpus_picture_options();

// Writes heads.png, heads.svg or heads.pdf into the folder --out, which is made where it is missing; returns its name.
std::string write_corpus_picture(const Arguments& given, const CancelToken& cancel);

}  // namespace headscope::cli
