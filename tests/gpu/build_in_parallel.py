# Stands before PyCUDA's settings, which its setup.py executes: compiles its files side by side, where
# setuptools compiles one after the other. Should setuptools be built otherwise one day, its own way is kept.
# No name may be left over: setup.py takes each for a setting.
def _compile_side_by_side():
    import os
    from concurrent.futures import ThreadPoolExecutor

    try:
        from distutils.ccompiler import CCompiler  # setup.py has imported setuptools, which brings it
    except ImportError:
        return

    def compile(
        self, sources, output_dir=None, macros=None, include_dirs=None, debug=0,
        extra_preargs=None, extra_postargs=None, depends=None,
    ):  # fmt: skip
        _, objects, extra, flags, build = self._setup_compile(
            output_dir, macros, include_dirs, sources, depends, extra_postargs
        )
        arguments = self._get_cc_args(flags, debug, extra_preargs)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(self._compile, name, *build[name], arguments, extra, flags) for name in build]
            for job in jobs:
                job.result()
        return objects

    if hasattr(CCompiler, "_setup_compile") and hasattr(CCompiler, "_get_cc_args"):
        CCompiler.compile = compile


_compile_side_by_side()
del _compile_side_by_side
