#include "app/session/image_document.h"

#include <fmt/format.h>

#include <map>

#include "core/base/error.h"
#include "core/io/jpeg.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/model/checkpoint.h"
#include "core/request/model_kind.h"

namespace headscope {
namespace {

bool reads_images(const Request& request) {
  if (!runs_checkpoint(request)) return false;
  return Checkpoint::open(request.model, Tower::image)->architecture().image.has_value();
}

}  // namespace

Request with_image(const std::string& path, const Request& current) {
  if (!reads_images(current)) {
    throw Error(
        fmt::format("{} is a picture that Headscope did not export, and the open model reads no images; "
                    "expected a vit, dinov2, clip or siglip model to be open.",
                    path));
  }
  read_picture(path);  // says now what is wrong with it
  Request request;
  request.model = current.model;
  request.backend = current.backend;
  request.threads = current.threads;
  request.image = path;
  return request;
}

bool reads_features(const Request& current) {
  return runs_checkpoint(current) && Checkpoint::open(current.model)->architecture().features.has_value();
}

Request with_features(const std::string& path, const Request& current) {
  read_npy(path);  // says now what is wrong with it
  Request request;
  request.model = current.model;
  request.backend = current.backend;
  request.threads = current.threads;
  request.decoder_phrase = current.decoder_phrase;
  request.decoder_ids = current.decoder_ids;
  request.attention = current.attention;
  request.layer = current.layer;
  request.features = path;
  return request;
}

bool is_input_picture(const std::string& png_path, const Request& current) {
  const std::map<std::string, std::string> texts = read_png_info(png_path).texts;
  return texts.find("headscope") == texts.end() && reads_images(current);
}

}  // namespace headscope
