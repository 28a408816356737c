# Rules of `cmake --install` and `cpack -G DEB`: the program, its manual page and completions (made by
# the program itself, so that the versions always agree), the pages and the licences.
include(GNUInstallDirs)
set(package ${CMAKE_CURRENT_LIST_DIR}/package)
set(made ${CMAKE_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${made})

# ht_made_by_program(FILE WORD...): writes the output of `hemotile WORD...` to FILE. The file has another
# name until it is complete, so that an interrupted build leaves no half page.
function(ht_made_by_program file)
  add_custom_command(OUTPUT ${made}/${file}
    COMMAND $<TARGET_FILE:hemotile> ${ARGN} > ${made}/${file}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${made}/${file}.part ${made}/${file}
    DEPENDS hemotile VERBATIM)
endfunction()
ht_made_by_program(hemotile.1 help man)
ht_made_by_program(hemotile.bash help completion bash)
ht_made_by_program(_hemotile help completion zsh)
add_custom_target(manual ALL DEPENDS ${made}/hemotile.1 ${made}/hemotile.bash ${made}/_hemotile)

# Target of `cmake --build BUILD --target bundle`: one file to copy to another machine (docs/install.md).
add_custom_target(bundle
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:hemotile> -DSTRIP=${CMAKE_STRIP} -DSOURCE=${CMAKE_SOURCE_DIR}
    -DMADE=${made} -DOUTPUT=${CMAKE_BINARY_DIR}/packages
    -DNAME=hemotile-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR} -P ${package}/bundle.cmake
  DEPENDS manual VERBATIM)

install(TARGETS hemotile RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${made}/hemotile.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME hemotile)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs cases DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES third_party/niivue/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.niivue)
install(FILES ${package}/pacs.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Debian's zsh reads the completions of packages from a folder of its own. man reads compressed pages;
# gzip -n leaves the time out, so that two builds give the same package.
install(CODE "
  set(share \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  set(zsh zsh/site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(zsh zsh/vendor-completions)
  endif()
  file(INSTALL \"${made}/_hemotile\" DESTINATION \"\${share}/\${zsh}\")
  file(INSTALL \"${made}/hemotile.1\" DESTINATION \"\${share}/man/man1\")
  execute_process(COMMAND gzip -9 -n -f \"\$ENV{DESTDIR}\${share}/man/man1/hemotile.1\"
    COMMAND_ERROR_IS_FATAL ANY)
  # The service's paths depend on the prefix, which is known only now.
  set(CMAKE_INSTALL_FULL_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(CMAKE_INSTALL_FULL_DOCDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  configure_file(\"${package}/hemotile-pacs-watch.service.in\" \"${made}/hemotile-pacs-watch.service\" @ONLY)
  file(INSTALL \"${made}/hemotile-pacs-watch.service\"
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
")

# Writes Debian's file of licences.
file(READ ${package}/copyright.in copyright)
file(READ third_party/niivue/LICENSE niivue)
string(REPLACE "\n" "\n " niivue " ${niivue}")
string(REGEX REPLACE "\n +(\n|$)" "\n .\\1" niivue "${niivue}")
string(REGEX REPLACE "\n +(\n|$)" "\n .\\1" niivue "${niivue}")
string(REPLACE "@NIIVUE@" "${niivue}" copyright "${copyright}")
file(WRITE ${made}/copyright "${copyright}")
install(FILES ${made}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME hemotile)
set(CPACK_PACKAGE_VENDOR "The hemotile developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "blood flow and wall load of a vessel from a patient's scan")
set(CPACK_PACKAGE_DESCRIPTION
  "hemotile reads a scan (DICOM, NIfTI, NRRD, MetaImage) or a surface, finds
the vessel, computes the blood flow in it with the lattice Boltzmann method
on a GPU or a CPU, and writes velocities, pressures and wall shear stress as
files for 3D Slicer and ParaView, pictures and a report.
.
Not for clinical decisions.")
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The hemotile developers <hemotile@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "chromium, dcmtk, openmpi-bin") # the report as PDF; tools for DICOM; --ranks
include(CPack)
