// report --format png|svg|pdf: the heads of a scan, or of a folder that HeadVis shows, as a picture.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"
#include "core/picture/figure/corpus_contents.h"
#include "core/picture/view_spec.h"

namespace headscope::cli {

bool is_picture_format(const std::string& format);

// The options that only a picture takes, for help and for refusing them elsewhere.
std::vector<OptionSpec> corpus_picture_options();

// Writes heads.png, heads.svg or heads.pdf into the folder --out, which is made where it is missing; returns its name.
std::string write_corpus_picture(const Arguments& given, const CancelToken& cancel);

// Writes a figure as `spec` has it to a file that ends with .png, .svg or .pdf; returns "640 x 480 pixels". Throws as
// corpus_rows(), and Error for files.
std::string write_corpus_figure(const std::string& target, const CorpusFigure& figure, const ViewSpec& spec,
                                const std::map<std::string, std::string>& recipe, const CancelToken& cancel);

}  // namespace headscope::cli
