# What `cpack` in a build tree makes of it: headscope_VERSION_ARCHITECTURE.deb and a .tar.gz of what is installed, without
# the library for programs of others.
set(CPACK_PACKAGE_NAME headscope)
set(CPACK_PACKAGE_VENDOR "The Headscope authors")
set(CPACK_PACKAGE_CONTACT "The Headscope authors <headscope@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "desktop microscope for multi-head attention")
set(CPACK_PACKAGE_DESCRIPTION "Type a phrase, and every tensor of the computation is on screen: its
shape, its picture, each of its numbers, and the arithmetic behind it.
headscope-cli does the same without a window.")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};headscope;runtime;/")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/assets/packaging/debian/stage.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, libgl1-mesa-dri")
find_program(shlibdeps dpkg-shlibdeps)  # of dpkg-dev; without it a package names no library that it needs
if(shlibdeps)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgl1, libegl1")  # opened when they are first used
endif()
include(CPack)
