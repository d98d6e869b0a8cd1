# headscope_need(NAME PACKAGE [arguments of find_package]): find_package that, when it fails, says how to install it.
macro(headscope_need name debian_package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. On Debian and Ubuntu: sudo apt-get install ${debian_package} "
                        "(or ./dev setup, which installs everything that is missing).")
  endif()
endmacro()

# headscope_need_pc(PREFIX module debian-package): the same by pkg-config, as target PkgConfig::PREFIX.
macro(headscope_need_pc prefix module debian_package)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    message(FATAL_ERROR "${module} was not found by pkg-config. On Debian and Ubuntu: "
                        "sudo apt-get install ${debian_package} (or ./dev setup).")
  endif()
endmacro()
