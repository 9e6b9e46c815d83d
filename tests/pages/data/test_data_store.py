"""Where a session's files live, and the words for tables."""

import threading
import time

from engine.ingest.inputs import mapping
from pages._ui.data import store as data_store, wording as data_wording


def test_every_kind_and_column_has_a_name():
    known = {name for kind in mapping.REQUIRED for name in mapping.REQUIRED[kind]}
    known |= {name for kind in mapping.OPTIONAL for name in mapping.OPTIONAL[kind]}
    assert known <= data_wording.COLUMNS.keys()
    assert data_wording.KINDS.keys() == data_wording.KIND_HELP.keys()


def test_an_upload_is_stored_once_however_many_runs_ask_for_it(temporary):
    class Upload:
        file_id, name = "1", "trips.csv"

        def getbuffer(self):
            time.sleep(0.05)  # a second run has time to ask
            return b"uid,datetime\n"

    space = data_store.Workspace()
    paths = []
    runs = [threading.Thread(target=lambda: paths.append(space.save(Upload()))) for _ in range(6)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(set(paths)) == 1
    assert len(list(space.folder.glob("*/trips.csv"))) == 1
    space.keep_only(())
    assert not list(space.folder.glob("*/trips.csv"))
    space.remove()
