"""Long work beside the page: it finds what is cached of the session that asked for it."""

from streamlit.testing.v1 import AppTest


def test_a_job_reads_what_is_cached_for_its_session():
    def page():
        import streamlit as st

        from pages._ui import jobs

        @st.cache_data(scope="session")
        def doubled(value):
            return 2 * value

        def steps():
            yield jobs.Step(1, 1, doubled(21))

        work = jobs.job("test", "signature", steps)
        work.wait(10)
        st.text(f"{work.state} {work.result}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.text[0].value == "finished 42"
