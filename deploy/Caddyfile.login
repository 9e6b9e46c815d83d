# Explorers for colleagues who may see the data: docs/deploy.md.
# EXPLORER_LOGIN is the host:port of a login service that answers /verify with 2xx where it knows the visitor.
import common.caddy 

{$EXPLORER_ADDRESS:localhost} {
	encode zstd gzip
	import headers

	route {
		@metrics path /_stcore/metrics*
		respond @metrics 403

		# who somebody is, the login says: a visitor's own header of that name is taken off
		request_header -Remote-User
		forward_auth {$EXPLORER_LOGIN:login:9091} {
			uri /verify
			copy_headers Remote-User
		}
		# by what the browser says, before a byte is passed on: cut off midway, the explorer would count as failing
		@upload {
			path /_stcore/upload_file/*
			method PUT POST
		}
		route @upload {
			@unsized not header Content-Length *
			respond @unsized 411
			@large expression int({http.request.header.Content-Length}) > {$EXPLORER_UPLOAD:209715200}
			respond @large 413
		}
		import explorers
	}
}
