// What a picture of the heads of a corpus keeps of itself, so that the window shows it again and `render` draws it
// again.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/session/view_state.h"
#include "core/export/session_file.h"
#include "core/picture/view_spec.h"

namespace headscope {

// The heads of a corpus as a picture shows them.
struct CorpusPicture {
  CorpusView view;
  std::string fact;  // corpus_fact() when it was drawn
};

// How a picture that was made without a window is drawn.
ViewSpec corpus_spec(const CorpusView& view, Theme theme, double scale);

// The recipe in such a picture: opened in the window, it shows this view of this file.
std::map<std::string, std::string> corpus_recipe(const CorpusPicture& picture, const ViewSpec& spec);
// The recipe in what is drawn again of a picture by its session, which shows `picture` now.
std::map<std::string, std::string> corpus_recipe(const SessionFile& session, const CorpusPicture& picture,
                                                 const ViewSpec& spec);

// window_of_picture() for a picture of the corpus that the window shows: its recipe is known by that.
std::string window_of_corpus_picture(const ViewState& view, const std::string& fact);

// What the picture at `path` with this recipe shows; nullopt: no heads of a corpus. Error as parse_view_state().
std::optional<CorpusPicture> corpus_picture_of(const SessionFile& session, const std::string& path);

// Where the corpus of a picture lies: at the path that the picture names, else beside the picture under the same name;
// "" where it is at neither place.
std::string corpus_at_hand(const std::string& file, const std::string& picture);

}  // namespace headscope
