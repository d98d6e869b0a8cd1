// render --session of a picture of the heads of a corpus.
#pragma once

#include "app/cli/arguments.h"
#include "app/session/corpus_recipe.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// Draws what the picture --session shows again, to --out, and says so. UsageError when its corpus is neither where the
// picture says nor beside it, for a page, and for options other than --theme and --colormap; Error as its
// readers.
void render_corpus(const Arguments& given, const SessionFile& session, CorpusPicture picture,
                   const CancelToken& cancel);

// Of a picture of the heads of a corpus there is nothing to run: UsageError for the option that names it.
void refuse_corpus_picture(const char* option, const std::string& path, const SessionFile& session);

}  // namespace headscope::cli
