// An output stream on a file descriptor that remembers why the system refused.
#pragma once

#include <ostream>
#include <streambuf>
#include <vector>

namespace headscope {

class DescriptorBuffer : public std::streambuf {
 public:
  // Writes to `descriptor`, which stays the caller's.
  explicit DescriptorBuffer(int descriptor);
  // errno of the write that failed, or 0.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  // tellp() alone: how many bytes were written so far.
  pos_type seekoff(off_type offset, std::ios_base::seekdir direction, std::ios_base::openmode which) override;

 private:
  bool write_all(const char* from, std::streamsize size);
  bool flush_buffer();

  int descriptor_;
  int error_ = 0;
  std::streamoff written_ = 0;
  std::vector<char> buffer_;
};

}  // namespace headscope
